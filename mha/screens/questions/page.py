"""Questions: eleven questions on multi-head attention, each answered by an experiment; predict, then reveal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from mha.engine import Request, experiments
from mha.engine.question import Ask, Kept
from mha.link.acts import Keep, KeepGuess, Say
from mha.link.link import Link
from mha.link.pages import QUESTIONS, QuestionsWords
from mha.models.toy import HAND_SET
from mha.screens.blocks import Asked, Block, caption, heading, say
from mha.screens.heads.picture import Picture, recorded
from mha.screens.inputs import Choose, Guess, PageDoor, Press
from mha.screens.places import Listed, More, Place, Row, Side, Wait
from mha.screens.questions import answers
from mha.screens.questions.answers import DOG
from mha.screens.questions.quiz import Answer, QuizQuestion, blocks_of, question, sources, verdict

ON_THE_SENTENCE = ("many heads", "redundancy")  # whose numbers are of the reader's text, as those of Heads
GUESS, FIGURE = "questions_guess", "questions_figure"
ORDERS = "Shuffling the sentence …"


def page(link: Link, ask: Ask) -> Iterator[Block]:
    """Yield which question is open, what it asks and its guess, and once it is asked for, the answer and its figure."""
    assert isinstance(link.own, QuestionsWords)
    asked = question(link.own.open)
    number = QUESTIONS.index(asked.name)
    yield Side(((Choose(QuestionsWords.of("open").name, bare=True, wrap=True),), (_back_and_next(number),)), (5, 1))
    yield Place("questions_ask", (caption(f"Question {number + 1} of {len(QUESTIONS)}"), heading(asked.ask, "h1")))
    shown, guess = f"shown {asked.name}", f"guess {asked.name}"
    guessed = ask(Kept(shown))
    if guessed is None:
        options = Guess(guess, "Your guess", asked.options)
        yield Place(GUESS, (Asked("answer", say(asked.guess)), options))
        yield Press("Show answer", (KeepGuess(shown, guess), Say("reveal", True)))
        yield caption("Your guess is not stored.")
        return
    yield Place(GUESS, ())
    yield Press("Guess again", (Keep(shown),))  # the same button, which stays where it is, and so does the focus
    figure = "of_the_sentence" if asked.name in ON_THE_SENTENCE else FIGURE
    yield Place("questions_answer", _answer(asked, figure))
    found = ANSWERS[asked.name](link, ask)
    about = "Heads" if asked.name in ON_THE_SENTENCE else f"Questions: {asked.name}"
    yield Place(figure, tuple(blocks_of(found, about)))
    right = asked.right if found.right is None else found.right
    yield Place(GUESS, (caption(verdict(asked, guessed or None, right), style="sub"),))


def _back_and_next(number: int) -> Row:
    last, opens = len(QUESTIONS) - 1, QuestionsWords.of("open").name
    back = Press("Back", (Say(opens, QUESTIONS[max(number - 1, 0)]),), off=number == 0)
    return Row((back, Press("Next", (Say(opens, QUESTIONS[min(number + 1, last)]),), off=number == last)))


def _answer(asked: QuizQuestion, figure: str) -> Iterator[Block]:
    """Yield the answer in words, room for its figure, the pages that explore it, and the sources."""
    waits = ORDERS if asked.name == "ambiguity" else ""
    doors = (PageDoor(asked.pages, asked.step), *(PageDoor((page,)) for page in asked.also))
    yield Side(((caption(asked.answer, style="answer"), *doors), (Place(figure, (Wait(waits),)),)), (5, 6), "large")
    lines = tuple(sources()[name].line for name in asked.sources)
    yield Place("questions_sources", (More("Sources", (Listed(lines, points=False),)),))


def _of_the_sentence(answer: Callable[[Picture], Answer]) -> Callable[[Link, Ask], Answer]:
    """Return an answer about the picture of the reader's sentence, below what has to be said of that."""

    def found(link: Link, ask: Ask) -> Answer:
        picture, said = recorded(link.view, ask)
        answered = answer(picture)
        return replace(answered, parts=(*said, *answered.parts))

    return found


def _alone(answer: Callable[[], Answer]) -> Callable[[Link, Ask], Answer]:
    return lambda link, ask: answer()


ANSWERS: dict[str, Callable[[Link, Ask], Answer]] = {
    "many heads": _of_the_sentence(lambda picture: answers.many_heads(picture.shown, picture.row)),
    "self-attention": _alone(answers.self_attention),
    "Q K V": lambda link, ask: answers.roles(ask(Request(HAND_SET, "toy"))),
    "scaling": _alone(answers.scaling),
    "formula": _alone(answers.formula),
    "output matrix": _alone(answers.output_matrix),
    "real models": _alone(answers.real_heads),
    "redundancy": _of_the_sentence(lambda of: answers.redundant(of.recording.maps.merged(), of.row)),
    "measures": _alone(answers.measures),
    "one head": _alone(answers.one_head),
    "ambiguity": lambda link, ask: answers.ambiguity(ask(experiments.leaning.of(DOG, answers.dog_readings()))),
}
