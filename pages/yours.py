"""Your file: attention maps of other tools, drawn as Heads draws those of a model."""

from functools import partial

import streamlit as st

from mha.app import components, downloads, errors, link, uploads
from mha.errors import MHAError
from mha.formats import markdown
from mha.views import heads, models
from mha.views import heads_pictures as pictures
from mha.views import heads_text as text_views

state = st.session_state
view = state.setdefault("file_view", {"number": 0})  # the choices about a file are in no link


def close_file() -> None:
    view["number"] += 1  # another field, which is empty


def pin(name: str) -> None:
    other_pins = [str(head) for head in case.pins if str(head) != name]
    view["pins"] = other_pins if name in view["pins"] else [*other_pins, name][-heads.MAX_PINS :]


def select_word(position: int | None, look: str = "ask") -> None:
    if position is None or (position == case.word and look == case.look):
        view["lock"], view["look"] = None, "at"
    else:
        view["lock"], view["look"] = case.kept[position], look


# The file.
link.show_problems()
case_file, finding, reason = None, text_views.FILE_FINDING, text_views.FILE_ABOUT
with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="of_the_file"):
    file = uploads.field("A file of maps", f"file_maps_{view['number']}", text_views.MEGABYTES, ("npz", "npy"))
    if file is not None:
        options = st.popover("Options", key="options", on_change="rerun")
        st.button("Close the file", on_click=close_file)
if file is not None:
    try:
        digest, case_file = uploads.maps_of(file.getvalue())
    except MHAError as error:
        finding, reason = text_views.file_refusal(file.name), markdown(str(error))
if file is None or case_file is None:
    components.finding(finding)
    st.markdown(reason)
    st.code(text_views.RECIPES, language=None, wrap_lines=True)  # colours of comments have too little contrast
    errors.say_kept()  # the frame draws nothing after `st.stop`
    st.stop()
if options.open:
    with options:
        st.segmented_control(
            "Axis", ["words", "tokens"], key="units", required=True, on_change=select_word, args=(None,)
        )
        st.toggle("Exclude special tokens and final punctuation", key="sinks")
        st.toggle("Large type (projector)", key="large")
if view.get("file") != digest:
    view.update(file=digest, pins=[], lock=None, look="at")
maps = case_file.maps
choice = heads.HeadsChoice(models.parse_heads(view["pins"]), view["lock"], view["look"], state["units"], state["sinks"])
case = heads.select(maps, choice)

# The sentence, all heads, and the pinned heads.
for note in text_views.file_notes(case_file):
    st.caption(markdown(note))
components.overview(pictures.overview(case, large=state["large"]), "overview", pin, select_word)
components.pinned_maps(
    pictures.pinned(case, large=state["large"]), "pinned", pin, lambda _: None, select_word, lambda *_: None
)

# The numbers, how they are shown, and files.
has_statistics = maps.kind == "self"
if has_statistics:
    with st.expander("All heads in numbers", key="numbers", on_change="rerun") as numbers:
        if numbers.open:
            columns, sources = text_views.table_columns(case)
            components.head_table(columns, "heads_table", pin, "Statistics of all heads", sources)
            st.caption(text_views.table_caption(case))
with st.expander("How is this measured?", key="method", on_change="rerun") as disclosure:
    if disclosure.open:
        st.markdown(text_views.file_method(case))
origin = text_views.file_origin(file.name, maps)
st.caption(markdown(origin))
downloads.button("Your file", origin, files=partial(downloads.heads_files, "your-file", lambda: case))
