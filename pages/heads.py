"""Heads: where does each head look in my sentence?"""

import streamlit as st

from mha.ui import boundary, controls, habits
from mha.ui.heads import asking, cell, crossing, layer, long, numbers, own, pins, writing
from mha.ui.heads import sections as heads
from mha.ui.steps.way_in import follow_steps

follow_steps()  # a pinned head was asked for its arithmetic: goes on to Step by step before anything is drawn here
view = controls.of_all_stacks(own.size())
if long.asked():  # a text beyond what a sentence's field takes stands in the place of everything else
    long.view(view)
    st.stop()
mine = own.picture(view)  # of maps in a file, where there is one
chosen = asking.draw(view, mine is None)  # of models that write: whether they do, and which attention is shown
of_what = heads.of_what()  # the shares on this page: of attention, or of what looks bring
picture = mine or heads.record(view, pins.second_text(view))  # of what the controls say; says so where it cannot be

encoder, stacked = picture, crossing.of_stack(picture, chosen)  # of an encoder–decoder the attention that was chosen
place = None if mine else cell.asked(stacked)
if place is not None:  # one cell is open: its numbers stand in the place of everything else
    cell.view(stacked, place)
    boundary.done()

picture = picture if mine else writing.with_gaps(picture)
written = writing.written(picture, chosen)
picture = stacked if picture.row.two_sided else picture
crosses = crossing.crosses(picture)
picture = heads.weighed(picture, of_what, not (mine or written) and crossing.of_the_text(picture, chosen))
heads.say_elsewhere(view, picture)
if written:
    screen = writing.looking_back(written)
else:
    screen = crossing.alignment(picture) if crosses else heads.sentence_and_overview(picture)
if not screen:  # a first visit: half of what a browser loads is for the rest, which comes when the picture stands
    st.stop()
with st.container(key="section_next"):
    writing.next_words(picture, chosen, written)
if written:
    picture = writing.whole(picture, written)
    writing.every_head(picture, written)
elif crosses:
    crossing.every_head(picture)
habits.offer(picture)  # where it is not known what this model's heads usually do
heads.pinned_side_by_side(picture, opened=not written, steps=crossing.of_the_text(picture, chosen))
crossing.side_by_side(encoder, chosen)  # of a model that has three kinds of attention
if crosses:
    crossing.numbers(picture)
else:
    with st.container(key="section_layer"):
        layer.draw(picture, opened=not written)
    with st.container(key="section_numbers"):
        numbers.draw(picture)
with st.container(key="section_foot"):
    heads.where_from(picture, writing.askable(picture), sentence=not written and not crosses)
own.field()
if not crosses:
    heads.taken_away(picture)
    if not written:
        heads.tour_of(picture)
