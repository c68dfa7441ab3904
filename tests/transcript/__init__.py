"""What every page sends: links of all pages and sequences of deeds, each with everything that reaches the browser.

`links.py` lists what is opened and done, `visiting.py` hears what is sent for it, `kept.py` keeps and compares it.
``python -m tests.transcript write`` keeps what is sent now, ``diff`` shows what has changed since. A change that is
meant is written in the commit that makes it, which says what differs and why.
"""
