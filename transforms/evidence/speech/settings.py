"""Named limits for recognising speech; none is a literal in the code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpeechSettings:
    """Settings of how sound is converted to utterances.

    Attributes:
        model: a folder with a CTranslate2 Whisper model, or the name of a model (``large-v3``,
            ``small``, ``tiny.en`` …, or ``owner/name``) in this machine's model cache; also the
            address of a folder in remote storage, which each worker downloads once.
        sha256: digest that the model must have, as recorded in the store; None for any.
        download: download a named model that is not on this machine.
        device: ``auto`` (a GPU if there is one), ``cpu`` or ``cuda``.
        compute_type: CTranslate2's arithmetic; None is int8 on a CPU, float16 on a GPU.
        cpu_isa: instruction set of an x86 processor used to recognise speech: GENERIC, AVX, AVX2 or
            AVX512; None is AVX2, so that the result is the same on all such processors.  Each gives
            different probabilities and sometimes different words.  AVX512 is faster where
            available; GENERIC runs on any.  The environment's CT2_FORCE_CPU_ISA is ignored.
        language: the spoken language, as a two-letter code; None lets the model detect it.
        languages: the only languages that can be detected; empty for all that the model knows.
        min_language_probability: below this a detected language is reported as unsure, 0 to 1.
        language_windows: pieces of 30 s of speech in which the language is detected.
        beam_size: hypotheses kept while decoding.
        batch: number of windows of up to 30 s that the model processes at once. With 1, each window
            starts at the end of the window before.
        vocabulary: give the ontology's names of things to the model before each part, so that it
            expects them.  A small model may then recognise words that were not said.
        vad: leave out sound that is not speech before recognition.  Without it silence and noise
            become words, which only the guards can reject.
        vad_threshold: probability above which 32 ms are speech, 0 to 1.
        vad_pause_ms: shortest pause that separates speech; milliseconds.  One quarter of the value
            of faster-whisper, so that words cannot start in the pause before them.
        vad_pad_ms: sound kept before and after speech, milliseconds.
        pause_s: gap between words from which a new utterance begins, seconds.
        frame_ms: length over which the sound level is measured, milliseconds.
        silence_dbfs: level below which sound is silence, decibels of full scale.
        above_noise_db: how far above the noise a frame counts as sound.
        below_loud_db: how far below the loud frames sound may be at most; if noise is closer than
            this to speech, levels cannot separate the two.
        quiet_share: the quietest share of a piece's frames, from which the noise level is taken.
        loud_share: share of frames that do not exceed the level of the loud frames.
        least_silence_s: shortest silence between two sounds; a silence in a consonant is shorter.
        least_sound_s: shortest sound that is not a click.
        early_limit_s: a word that starts up to this long before its sound is moved to it.
        late_limit_s: a word that starts up to this long after its sound is moved back to it.
        least_word_s: shortest word.
        least_rise_db: an utterance that is closer than this to the piece's noise was not spoken.
        reject_confidence: mean word probability below which an utterance is rejected.
        weak_confidence: mean word probability below which it is flagged ``weak``.
        min_word_probability: a word below this flags its utterance ``doubtful_word``.
        no_speech_limit: the utterances of a window are rejected if its probability of no speech is
            above this and its log probability is below ``min_log_probability``.
        min_log_probability: limit for the mean log probability of a window's tokens.
        loop_length: longest run of words that is tested as the repeated part of a loop.
        loop_repeats: number of consecutive repetitions from which a text is a loop.
        loop_words: minimum number of words of a loop; one word may really be said four times.
        max_words_per_s: fastest speech; invented words are crammed into too little time.
        hurried_words: minimum number of words for this test.
    """

    model: str = "large-v3"
    sha256: str | None = None
    download: bool = False
    device: str = "auto"
    compute_type: str | None = None
    cpu_isa: str | None = None
    language: str | None = None
    languages: tuple[str, ...] = ("en", "zh")
    min_language_probability: float = 0.5
    language_windows: int = 3
    beam_size: int = 5
    batch: int = 1
    vocabulary: bool = False
    vad: bool = True
    vad_threshold: float = 0.5
    vad_pause_ms: int = 500
    vad_pad_ms: int = 400
    pause_s: float = 0.6
    frame_ms: int = 10
    silence_dbfs: float = -55.0
    above_noise_db: float = 9.0
    below_loud_db: float = 12.0
    quiet_share: float = 0.1
    loud_share: float = 0.95
    least_silence_s: float = 0.2
    least_sound_s: float = 0.04
    early_limit_s: float = 2.0
    late_limit_s: float = 0.6
    least_word_s: float = 0.04
    least_rise_db: float = 3.0
    reject_confidence: float = 0.25
    weak_confidence: float = 0.5
    min_word_probability: float = 0.05
    no_speech_limit: float = 0.6
    min_log_probability: float = -1.0
    loop_length: int = 6
    loop_repeats: int = 4
    loop_words: int = 6
    max_words_per_s: float = 10.0
    hurried_words: int = 4
