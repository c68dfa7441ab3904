"""Which raw tokens are special: tokens that a model's tokenizer adds, such as ``[CLS]`` or ``<|im_start|>``.

Without the tokenizer this is a guess from three rules, the surest first; ``special=`` of `mha.from_arrays` replaces it:

- names that published tokenizers reserve are special everywhere;
- shapes of reserved tokens, such as ``<repo_name>`` or ``[TOOL_CALLS]``, are special if another token shows that a
  subword tokenizer wrote the list, and if the text that was given does not contain them;
- codes of languages, such as ``eng_Latn``, are special only before the first or after the last ordinary token.

Layer 0: strings in, booleans out.
"""

import re
from collections.abc import Sequence

_BAR = "\uff5c"  # the wide vertical line in DeepSeek's tokens
_NAMES = re.compile(
    r"\[/?(?:CLS|SEP|PAD|MASK|UNK|BOS|EOS|START|END|INST)\]|\[[gs]MASK\]|\[unused_?[0-9]{1,6}\]"
    r"|(?i:</?(?:s|pad|mask|unk|bos|eos|cls|sep|sos|sop|eop|eod|start|end|go|endoftext)>)"
    r"|(?i:<(?:extra_id|reserved|special|unused|mask|unk|null|madeupword)_?[0-9]{1,6}>)|madeupword[0-9]{1,6}"
    r"|<(?:start|end)_of_[a-z]{2,20}>|<fim[_-](?:prefix|middle|suffix|pad)>"
    r"|<\|[^|<>]{1,60}\|>" + rf"|<{_BAR}[^{_BAR}<>]{{1,60}}{_BAR}>" + r"|<</?SYS>>|</?(?:s|unk|pad)>NOTUSED"
    "|[\ue000-\ue003]"  # CANINE's, for private use
)
_SHAPES = re.compile(
    r"\[/?[A-Z][A-Z_]+\]|\[[A-Za-z_]+_[0-9]{1,6}\]|\[@[A-Z]+@\]|\[multimodal\]"
    r"|</?[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+>|▁?<(?:PRE|SUF|MID|EOT)>"
    r"|<(?:image|video|audio|ent2?|reponame|filename|eoh|eoa)>"
    r"|>>[A-Za-z][A-Za-z0-9_+-]{1,40}<<|\|{3}[A-Z_]+\|{3}|\|[A-Z_]{3,}\|"
)
_LANGUAGES = re.compile(r"__[a-z]{2,3}__|[a-z]{2}_[A-Z]{2}|[a-z]{3}_[A-Z][a-z]{3}|<2[a-z]{2,3}(?:_[A-Za-z]{2,8})?>")
_SUBWORD = re.compile(r"[Ġ▁].*|##.+|.+</w>|.+@@", re.DOTALL)
_UNKNOWN = re.compile(r"[<\[]unk[>\]]", re.IGNORECASE)


def is_unknown(raw: str) -> bool:
    """Return whether a raw token replaces text that the vocabulary does not have."""
    return _UNKNOWN.fullmatch(raw) is not None


def special_mask(raws: Sequence[str], text: str = "") -> list[bool]:
    """Return for each raw token whether the rules of this module call it special.

    ``text`` is the text that the tokens were read from, if it was given.
    """
    mask = [_NAMES.fullmatch(raw.removeprefix("▁")) is not None for raw in raws]
    if any(mask) or any(_SUBWORD.fullmatch(raw) for raw in raws):
        for place, raw in enumerate(raws):
            mask[place] |= _SHAPES.fullmatch(raw) is not None and raw.lstrip("▁") not in text
    ordinary = [place for place, is_special in enumerate(mask) if not is_special]
    if any(raw.startswith("▁") for raw in raws) or ("</s>" in raws and "<s>" not in raws):  # many languages' tokenizers
        for place in ordinary[:1] + ordinary[-1:]:
            mask[place] |= _LANGUAGES.fullmatch(raws[place]) is not None and raws[place] not in text
    return mask
