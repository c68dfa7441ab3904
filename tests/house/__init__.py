"""How large the house is: ``python -m tests.house`` prints what is counted, beside what was counted and is aimed at."""
