"""An uncased WordPiece tokenizer with a small vocabulary: letters, digits, and some longer pieces."""

import string

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_LONGER = (
    "doe", "jane", "john", "smith", "the", "dr", "mr", "patient", "name", "date", "birth", "id", "mrn", "phone", "seen",
    "hospital", "street", "comments", "of", "and", "is", "with", "physician", "station", "old", "year", "male", "ct",
    "##er", "##son", "##en", "##in", "##an", "##or", "##ing", "##es", "##19", "##20", "19", "20",
)  # fmt: skip
_OTHER = "中国語のテ한مرحبا"


def small_tokenizer() -> Tokenizer:
    """As that of MiniLM, but for the words."""
    letters = (*string.ascii_lowercase, *string.digits, *_OTHER, "ß", "ł")
    words = (*_SPECIAL, *letters, *(f"##{c}" for c in letters), *string.punctuation, *_LONGER)
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(words))}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made
