"""Values of a URL that no parameter but a text takes."""

NEVER = [
    *("inf", "-inf", "nan", "1e400", "9" * 400, "-" + "9" * 400, "--5", "+-1", "1_0", "٣", "５", "−1", "0x10", "1,5"),
    *("\x00", "\n", "<script>", "![x](https://example.org)", "💥", "None", "null", "undefined", "a" * 5000),
    *("L99H99", "L-1H0", "L0H0;L0H1"),
]
HOSTILE = ["", " ", "-1", "+1", "1e9", "true ", "TRUE", "none", "0.5", "-0", "00", "1.0", *NEVER]
