"""Share: a dialog with the link of this view, the code that frames it, a QR code for a class, and a citation."""

import datetime
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

import segno
import streamlit as st

from mha.app import errors
from mha.app.link import url_query
from mha.examples import DEFAULT_TEXT
from mha.export.provenance import Citation, cite
from mha.navigation import HERE_ONLY, PUBLIC_URL, ROWS, SAME_NETWORK, public_folder, reach

DEFAULT_MODEL = "minilm"
CODE_SCALE = 6  # whole pixels of a module: smaller modules of a long link cannot be read
TEXT_PAGES = tuple(row.title for row in ROWS if row.of_text)  # pages about the text and the model
OWN_MODELS = {"yours": "an uploaded file", "translate": "translator"}  # of pages that read no model in the link
FRAME_HEIGHT = 760  # pixels
MOST_CODED = 600  # characters of a link whose QR code can be read in a picture of the page
TOO_LONG = "The link is too long for a QR code. Please copy it instead."


@dataclass(frozen=True)
class SharedLink:
    """The link of a view, the HTML of its frame, its citation, and whether a QR code can hold it."""

    link: str
    frame: str
    citation: Citation
    can_be_coded: bool


def share_view(
    address: str, query: Mapping[str, Sequence[str]], title: str, today: datetime.date,
    text: str | None = None, model: str | None = None,
) -> SharedLink:  # fmt: skip
    """Return the link of a view, its frame and its citation.

    ``address`` is the page, ``query`` its parameters; ``text`` and ``model`` are cited, by default those of ``query``.
    """
    link, framed = view_link(address, query), view_link(address, {**query, "embed": ["true"]})
    frame = (
        f'<iframe src="{escape(framed)}" title="{escape(title)} · Parallax" width="100%" height="{FRAME_HEIGHT}" '
        'style="border:0" loading="lazy" allow="clipboard-write"></iframe>'
    )
    text = text or (query.get("text") or [DEFAULT_TEXT])[-1]
    subject = f"{title}, “{text}”" if title in TEXT_PAGES else title
    subject += f" with {', '.join(query['cut'])} cut" if query.get("cut") else ""
    model = model or (query.get("model") or [DEFAULT_MODEL])[-1]
    citation = cite(model, of=subject, measure="results", link=link, seen=today.isoformat())
    return SharedLink(link, frame, citation, len(link) <= MOST_CODED)


def view_link(address: str, query: Mapping[str, Sequence[str]]) -> str:
    """Return the link of a view: the address of its page with its parameters."""
    encoded = urlencode(query, doseq=True)
    return address + (f"?{encoded}" if encoded else "")


def button(title: str) -> None:
    """Draw the button that opens the dialog on a page."""
    if st.button("Share", key="share"):  # style sheets place it in the bar
        _dialog(of_page(title))


def of_page(title: str) -> SharedLink:
    """Return the open view of a page for sharing."""
    state = st.session_state
    model = OWN_MODELS.get(state["link_page"], state.get("model"))
    return share_view(_address(), url_query(), title, datetime.date.today(), state.get("text"), model)


def link() -> str:
    """Return the link of the open view."""
    return view_link(_address(), url_query())


def folder() -> str:
    """Return the address of the app, to which a page's part is added."""
    return public_folder(st.context.url or "", str(st.session_state["link_page"]))


def _address() -> str:
    """Return the address of this page without its parameters."""
    return folder() + str(st.session_state["link_page"])


def code(address: str) -> bytes:
    """Return an address as a QR code, dark on light in every theme, as PNG."""
    file = io.BytesIO()
    segno.make_qr(address, error="l").save(file, kind="png", scale=CODE_SCALE, border=4)
    return file.getvalue()


def way_out(title: str) -> None:
    """Draw, in a frame on another page, the way to the whole app."""
    st.link_button("Open in Parallax", of_page(title).link, type="tertiary")


def show_reach(address: str) -> None:
    """Show who cannot open an address, and how to change that."""
    audience = reach(address)
    if audience == HERE_ONLY:
        errors.say("Phones cannot open this address: it is this computer’s own. Start the app so that they can:")
        st.code(
            f"export {PUBLIC_URL}=http://ADDRESS-OF-THIS-COMPUTER:8501\nparallax --server.address 0.0.0.0",
            "bash",
            wrap_lines=True,
        )
    elif audience == SAME_NETWORK:
        errors.say("Phones must be on the same network.")


@st.dialog("Share this view", width="medium")
@errors.error_boundary()
def _dialog(view: SharedLink) -> None:
    st.caption("This link contains your whole view. Nothing is stored.")
    show_reach(view.link)
    st.code(view.link, language=None, wrap_lines=True)
    if view.can_be_coded:
        st.caption("QR code for phones")
        st.image(code(view.link), alt="QR code of this link")
    else:
        st.caption(TOO_LONG)
    st.caption("Embed it in a page")
    st.code(view.frame, language=None, wrap_lines=True)
    st.caption("Cite it")
    st.code(view.citation.text, language=None, wrap_lines=True)
    st.code(view.citation.bibtex, language=None, wrap_lines=True)
