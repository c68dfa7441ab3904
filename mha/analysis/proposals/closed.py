"""The closed classes of English, and the lists of verbs and nouns that the shapes need; all by hand.

Tags: D determiner, Z possessor ("Anna's"), J adjective or number, N noun, M name, O pronoun, K pronoun with its verb
("it's"), V verb, B auxiliary or be, R adverb or particle, P preposition, T the to of an infinitive, C coordinator, S
subordinator, W question word or relative, "." and "," for marks. The number after a tag is its cost, 0 without one.
"""


def table(text: str) -> dict[str, list[str]]:
    """Return the words of each row of a text by the row's name: ``D O1.5: all some``; equal names are joined."""
    rows: dict[str, list[str]] = {}
    for line in text.strip().splitlines():
        name, words = line.split(": ", 1)
        rows.setdefault(name, []).extend(words.split())
    return rows


CLOSED = {  # the costs of each tag that a word may have
    word: {tag[0]: float(tag[1:] or 0) for tag in tags.split()}
    for tags, words in table("""
D: a an the my your our their whose's every teh
D O1.5: this these those each both neither either another any some all most
D J.5 O2: no many few several much more enough other such what's
D.5 O.5: her
D O2: his
D.2 K1.8: its
J D.7 O2: one two three four five six seven eight nine ten twenty hundred last next same own first second
S.5 W.5 D.9 O1.8: that
O: i you he she we they me him us them it himself herself itself themselves myself yourself mine yours hers theirs
O: someone somebody everyone everybody nobody anyone anybody something everything nothing anything none others
K: it's he's she's they're i'm you're we're that's there's he'll she'll it'll they'll i'll we'll you'll he'd she'd
K: they'd i'd we'd you'd they've i've we've you've im ive thats theyre youre theres hes shes
B N3: can will must might
B: is are was were am be been being isn't aren't wasn't weren't would could shall should may
B: won't wouldn't can't cannot couldn't shouldn't mustn't hasn't haven't hadn't doesn't don't didn't ain't gonna
B: isnt arent wasnt werent wont wouldnt cant couldnt shouldnt hasnt havent hadnt doesnt dont didnt
B V.8: has have had do does did
W: who whom whose which what
W.3 S.6: where how why
S: because although though while if unless whereas whether cuz coz bcause becuase becasue
S.5 W.8: when
S.4 P.4: after before until till since
S P1.5: as than
S1.5 N0.7 V0.7: cause
S1.2 R.5: once so
S1.8 R.3: then now
C: and or but nor yet &
T.7 P.7: to
P: of with without into onto from at against towards toward among between during behind beneath beside beyond
P: upon via despite inside outside near underneath above below under
P R2.5: in on
P R1: by about around across along through over
P.7 R.4: up down out off past
P.3 V.5 J3 S2: like
P S2.5: for
R: not never always often usually sometimes again away back here together home very too quite really just also
R: today tonight tomorrow yesterday please maybe perhaps only even still already ago well soon ever later everywhere
R: lol ok asap quickly however therefore
R.3 O.3: there
""").items()
    for word in words
}
SAME = {"teh": "the", "cuz": "because", "coz": "because"}
RELATIVES = ("who", "which", "that")
PRONOUNS = {  # the subject form of each pronoun
    word: form
    for form, words in table("""
it: it it's its it'll
he: he him he's he'll he'd hes his
she: she her she's she'll she'd shes
they: they them they're they'll they'd they've theyre their
""").items()
    for word in words
}
# "either" are prepositions that may go either way, and with the verbs of "placing", "turning" and "settled …" they do
# not; the verbs of a preposition ask for it. "Soft" nouns are men unless a woman may be meant.
LISTS = {
    name: frozenset(words)
    for name, words in table("""
be: is are was were am be been being isn't wasn't aren't weren't isnt wasnt arent werent
subjects: i he she we they you
saying: say tell know think believe claim promise inform warn hope assume show explain
either: with without in on from near by behind under beside inside outside for over
placing: put place lay set hang stick store keep pour spread insert pin tie plug leave drop
settled from: remove take pull steal borrow separate protect save prevent stop drag drive move free
settled for: ask thank blame pay wait look search
turning: mix combine blend share discuss exchange associate link connect join provide fill replace cover compare
turning: supply confuse trust load present help
asks at: look stare shout yell laugh smile wave point shoot bark glance scream
asks to: talk speak listen wave
asks for: look search wait
asks after: run look
male: man boy father dad daddy son brother uncle nephew grandfather grandpa grandson husband king prince duke lord
male: gentleman monk groom bridegroom wizard emperor boyfriend stepfather stepson stepbrother baron count earl knight
male: guy guys bloke sir mr priest bishop pope cowboy papa widower fiance godfather lad
female: woman girl mother mom mum mommy daughter sister aunt niece grandmother grandma granddaughter wife queen
female: princess duchess lady nun bride witch empress girlfriend stepmother stepdaughter stepsister baroness countess
female: mermaid maid ballerina heroine madam mrs ms miss mama widow maiden housewife fiancee godmother diva
soft: actor waiter host heir sailor fisherman butler businessman policeman steward hero
persons: person child kid baby infant toddler adult human teenager cop cops police staff crew team family folk folks
persons: people cleaner barista councilman councilmen councillor goalie caterer babysitter striker mom mum dad grandma
persons: grandpa astronaut
no persons: toaster batter mug cooker book phone car truck machine computer robot trophy cup can plate ball bottle
it or person: baby infant child toddler robot supplier manufacturer publisher retailer contractor competitor provider
it or person: vendor distributor insurer lender carrier broadcaster
invariant: sheep fish deer salmon trout aircraft species series
pairs: scissors binoculars tweezers pliers glasses pants trousers jeans shorts clothes tongs goggles
causing: make let have help see watch hear feel
linking: turn seem feel become get go stay look sound smell taste grow remain appear fall run
giving: give send show tell offer bring lend sell pay refuse deny hand teach write buy make owe promise feed
pictures: picture photo photograph painting portrait drawing sketch image video film
parts: middle lot kind sort front top end rest part side edge bottom couple number back bit
titles: mr mrs ms dr sir lord lady miss prof
particles: up out off down over
phrasal: wake pick turn take switch throw give call look fill cut knock tear clean bring beat hold lift pull shut
phrasal: drown blow sweep track chase scare wipe burn carry hand shake tip push
manners: care ease joy pleasure difficulty patience pride confidence enthusiasm love anger skill precision caution
manners: interest success silence delight disgust envy fear force haste speed grace gusto help horror passion relief
manners: respect
groups: police people council committee team company family crew government staff band class army
times: time morning evening noon midnight dawn dusk while moment past future
no gender: human woman person witness business mattress fortress governess illness success reason lesson season poison
no gender: prison son german roman specimen salesperson chairperson
""").items()
}
