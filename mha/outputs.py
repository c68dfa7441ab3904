"""Notebook outputs of an object: an interactive page, and a picture that every viewer keeps.

A notebook's output has several formats, and a viewer prefers HTML. If a viewer sanitises HTML
(``nbconvert --HTMLExporter.sanitize_html=True``, a notebook that is not trusted, many code hosts) the picture in it is
lost, and the PNG of the same output is ignored. So the picture is an output of its own, without HTML, before the
interactive page.
"""

import base64
import html
from collections.abc import Iterable, Mapping
from typing import Any

# Hides the still picture once the script has drawn the page, within ten seconds: the picture is in the
# output before, as JupyterLab, nbconvert and the older notebook write it, or Colab.
HIDE = (
    "(at,drawn)=>{const own=at.closest('.jp-OutputArea-child,.output_area')||at.closest('.output_subarea'),"
    "before=own&&own.previousElementSibling;"
    "if(!before||!before.querySelector('img[src^=\"data:image/png\"]'))return;const wait=n=>"
    "{if(own.querySelector(drawn))before.style.display='none';else if(n)setTimeout(wait,250,n-1)};wait(40)}"
)
# Reads the page out of the comment before it and puts it into a frame, which takes the place of the words and of the
# picture once its page reports that it is drawn: a policy may let this script run, but not the page's modules.
OPEN = (
    "(s=>{const at=(s&&s.parentElement||document).querySelector('.parallax-page:not(:has(iframe))');if(!at)return;"
    "const kept=[...at.childNodes].find(n=>n.nodeType==8).data,f=document.createElement('iframe');"
    "f.srcdoc=new TextDecoder().decode(Uint8Array.from(atob(kept),c=>c.charCodeAt(0)));f.title='Parallax';"
    "f.width='100%';f.height=1;f.style.border=0;addEventListener('message',function drawn(e){"
    "if(e.source!=f.contentWindow||e.data!='parallax drawn')return;removeEventListener('message',drawn);"
    "[...at.childNodes].forEach(n=>n!=f&&n.remove());f.height=HEIGHT;"
    f"({HIDE})(at,'iframe')}});at.append(f)}})(document.currentScript)"
)
LEFT = "The page itself is shown where this notebook is trusted."


def static(forms: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the formats "text/plain" and "image/png" as two outputs, or an empty tuple without a picture."""
    if "image/png" not in forms:
        return []
    sentence = forms["text/plain"]
    # No tag: a sanitiser shows tags as text. U+2068 and U+2069 isolate the direction of the sentence.
    return [
        {"text/html": f"\u2068{html.escape(sentence)}\u2069", "text/plain": sentence},
        {"image/png": forms["image/png"]},
    ]


def framed(page: str, height: int, forms: Mapping[str, str]) -> list[dict[str, str]]:
    """Return a whole HTML page as two outputs: its picture and text, then the page in a frame.

    The page is in a comment: a sanitiser drops comments, but shows the source of a frame as text.
    """
    source = base64.b64encode(page.encode("utf-8")).decode("ascii")
    script = OPEN.replace("HEIGHT", str(height))
    markup = f'<div class="parallax-page"><!--{source}-->{LEFT}</div><script>{script}</script>'
    return [{form: forms[form] for form in ("image/png", "text/plain") if form in forms}, {"text/html": markup}]


def pictured(live: Mapping[str, Any], still: Mapping[str, str], reason: str) -> list[dict[str, Any]]:
    """Return a picture with text and the output of a script: one output if the script is not HTML, else two.

    ``reason`` is the CSS selector, without quotation marks, of an element that exists once the script has drawn.
    """
    if "text/html" not in live:
        return [{**still, **live}]
    script = f"<script>(s=>s&&({HIDE})(s,'{reason}'))(document.currentScript)</script>"
    return [dict(still), {**live, "text/html": live["text/html"] + script}]


def publish(outputs: Iterable[Mapping[str, Any]]) -> None:
    """Show outputs below the cell that runs.

    Raises:
        NotImplementedError: ``outputs`` is empty, or the front end shows text only; IPython then prints the object.
    """
    from IPython import get_ipython

    shell, results = get_ipython(), list(outputs)
    if not results or shell is None or type(shell).__name__ == "TerminalInteractiveShell":
        raise NotImplementedError
    for output in results:
        shell.display_pub.publish(data=dict(output), metadata={})
