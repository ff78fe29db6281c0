"""Word times set to the sound, and utterances cut from words."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from surgqa.transforms.evidence.speech.guards import FLOOR_DB, measure, sounds
from surgqa.transforms.evidence.speech.settings import SpeechSettings
from surgqa.transforms.evidence.speech.words import Word, heard_words, set_to_sound, utterances
from surgqa.transforms.media.batches import SOUND_RATE

S = SpeechSettings()
MS = 1000


def word(text: str, start_ms: int, end_ms: int) -> Word:
    return Word(start_ms * MS, end_ms * MS, f" {text}", 0.9, 0.0, -0.2)


def times(words: list[Word]) -> list[tuple[int, int]]:
    return [(w.start_us // MS, w.end_us // MS) for w in words]


def bursts(total_ms: int, *spans_ms: tuple[int, int], floor: float = 0.0) -> np.ndarray:
    """Loud stretches in silence or in quiet noise."""
    rng = np.random.default_rng(1)
    out = rng.normal(0, floor, total_ms * SOUND_RATE // 1000) if floor else np.zeros(
        total_ms * SOUND_RATE // 1000
    )  # fmt: skip
    for start, end in spans_ms:
        first, last = start * SOUND_RATE // 1000, end * SOUND_RATE // 1000
        out[first:last] += rng.normal(0, 3000, last - first)
    return np.rint(np.clip(out, -32768, 32767)).astype(np.int16)


@pytest.mark.parametrize("floor", [0.0, 30.0])
def test_sounds_are_found_between_silences(floor: float) -> None:
    samples = bursts(6000, (1000, 2000), (2100, 3000), (4000, 5000), floor=floor)
    found = sounds(measure(7_000_000, samples, S), S)
    assert found is not None
    # A gap of 0.1 s is the closure of a stop and parts nothing.
    wanted = [(8_000_000, 10_000_000), (11_000_000, 12_000_000)]
    assert np.abs(np.array(found) - wanted).max() <= 10 * MS


def test_a_click_is_no_sound() -> None:
    samples = bursts(4000, (500, 520), (2000, 3000))
    assert sounds(measure(0, samples, S), S) == [(2_000_000, 3_000_000)]


def test_where_noise_is_as_loud_as_speech_levels_say_nothing() -> None:
    samples = bursts(4000, (1000, 2000), floor=2500.0)
    assert sounds(measure(0, samples, S), S) is None


def test_levels_of_silence_are_finite() -> None:
    levels = measure(0, np.zeros(SOUND_RATE, np.int16), S)
    assert levels.noise_db == levels.loud_db == FLOOR_DB
    assert levels.loudness(0, 1_000_000, 0.9) == FLOOR_DB
    assert len(measure(0, np.zeros(3, np.int16), S).power) == 0


def test_full_scale_is_nought_decibels() -> None:
    samples = np.full(SOUND_RATE, -32768, np.int16)
    assert measure(0, samples, S).loud_db == pytest.approx(0.0)


SOUNDS = [(1_000_000, 2_000_000), (3_000_000, 4_000_000)]


def test_a_word_that_reaches_into_the_pause_begins_with_its_sound() -> None:
    moved = set_to_sound([word("Hold", 2100, 3400), word("it.", 3400, 3900)], SOUNDS, S)
    assert times(moved) == [(3000, 3400), (3400, 4000)]


def test_a_first_word_that_is_late_is_set_back_to_the_onset() -> None:
    moved = set_to_sound([word("Finally", 3300, 3600), word("out.", 3600, 3900)], SOUNDS, S)
    assert times(moved)[0] == (3000, 3600)


def test_a_second_word_is_never_set_back() -> None:
    moved = set_to_sound([word("a", 3050, 3100), word("clip", 3400, 3700)], SOUNDS, S)
    assert times(moved)[1][0] == 3400


def test_a_word_over_a_pause_goes_where_it_mostly_is() -> None:
    moved = set_to_sound([word("so", 1900, 3300)], SOUNDS, S)
    assert times(moved) == [(3000, 3300)]


def test_the_last_word_of_a_sentence_is_fetched_back_from_the_silence() -> None:
    words = [word("the", 1500, 1900), word("hook.", 2500, 2700), word("Now", 3000, 3200)]
    moved = set_to_sound(words, SOUNDS, S)
    assert times(moved)[1] == (1960, 2000)
    assert times(moved)[2] == (3000, 3200)


def test_the_first_word_of_a_sentence_is_carried_on_to_its_sound() -> None:
    words = [word("cut.", 1500, 1900), word("Now", 2500, 2700), word("we", 3000, 3200)]
    moved = set_to_sound(words, SOUNDS, S)
    assert times(moved)[1][0] == 3000
    assert times(moved)[0][1] == 2000


def test_a_word_far_from_any_sound_stays_where_it_was() -> None:
    far = word("you", 9000, 9500)
    assert times(set_to_sound([far], SOUNDS, S)) == [(9000, 9500)]
    assert times(set_to_sound([far], [], S)) == [(9000, 9500)]


def test_words_end_before_the_next_begins() -> None:
    words = [word("a", 1000, 1900), word("b", 1300, 1500)]
    assert times(set_to_sound(words, SOUNDS, S))[0] == (1000, 1300)


def segment(*words: tuple[float, float, str]) -> SimpleNamespace:
    rows = [
        SimpleNamespace(start=np.float64(a), end=np.float64(b), word=t, probability=0.123456)
        for a, b, t in words
    ]
    return SimpleNamespace(words=rows, no_speech_prob=0.111111, avg_logprob=-0.222222)


def test_words_of_the_model_are_microseconds_and_rounded() -> None:
    (one,) = heard_words([segment((0.28, 1.1, " Cut"))], 3_440_000)
    assert (one.start_us, one.end_us) == (3_720_000, 4_540_000)
    assert (one.probability, one.no_speech, one.log_probability) == (0.1235, 0.1111, -0.2222)


def test_words_of_the_model_never_go_back() -> None:
    segments = [segment((5.0, 6.0, " a")), segment((4.0, 4.5, " b"))]
    assert [(w.start_us, w.end_us) for w in heard_words(segments, 0)] == [
        (5_000_000, 6_000_000), (5_000_000, 5_000_000),
    ]  # fmt: skip


def texts(words: list[Word]) -> list[str]:
    return ["".join(w.text for w in part).strip() for part in utterances(words, S)]


def test_utterances_end_with_sentences_and_at_pauses() -> None:
    words = [
        word("Cut.", 0, 400), word("Next", 400, 700), word("clip", 700, 900),
        word("here", 1600, 1900),
    ]  # fmt: skip
    assert texts(words) == ["Cut.", "Next clip", "here"]
    assert utterances([], S) == []


def test_abbreviations_and_numbers_end_no_sentence() -> None:
    words = [
        word("Dr.", 0, 100), word("Lee", 100, 200), word("uses", 200, 300), word("5.5", 300, 400),
        word("approx.", 400, 500), word("mm.", 500, 600), word("long", 600, 700),
    ]  # fmt: skip
    assert texts(words) == ["Dr. Lee uses 5.5 approx. mm. long"]


def test_chinese_stops_end_sentences() -> None:
    words = [word("夹闭。", 0, 400), word("剪断", 400, 700)]
    assert len(utterances(words, S)) == 2
