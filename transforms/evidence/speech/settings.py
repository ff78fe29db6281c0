"""Named limits of hearing speech and of finding terms in it; none is a literal in code.

Hearing and matching have settings of their own, so that another limit of matching makes no
recording be heard again.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpeechSettings:
    """How sound becomes utterances.

    Attributes:
        model: a folder with a CTranslate2 Whisper model, or the name of a model
            (``large-v3``, ``small``, ``tiny.en`` …, or ``owner/name``) that is in this
            machine's model cache; also the address of a folder in remote storage, fetched
            once a worker.
        sha256: digest that the model must have, as the store tells it; None for any.
        download: fetch a named model that is not on this machine.
        device: ``auto`` (a GPU where there is one), ``cpu`` or ``cuda``.
        compute_type: CTranslate2's arithmetic; None is int8 on a CPU, float16 on a GPU.
        cpu_isa: instructions of an x86 processor that speech is heard with: GENERIC, AVX, AVX2
            or AVX512; None is AVX2, so that all such processors hear the same.  Each gives
            other probabilities and at times other words.  AVX512 is faster where there is
            one; GENERIC runs on any.  The environment's CT2_FORCE_CPU_ISA is not looked at.
        language: what is spoken, as a two-letter code; None asks the model.
        languages: the only languages that are detected; empty for all the model knows.
        min_language_probability: below this a detected language is called unsure, 0 to 1.
        language_windows: pieces of 30 s of speech that are asked for their language.
        beam_size: hypotheses kept while decoding.
        batch: windows of up to 30 s that the model hears at once; 1 hears one after the other,
            each from where the one before it ended.
        vocabulary: name the ontology's things to the model before it hears each part, so that
            it expects them.  A small model may then hear what was not said.
        vad: leave out what is not speech before it is heard.  Without it silence and noise
            become words, which only the guards can then find.
        vad_threshold: probability above which 32 ms are speech, 0 to 1.
        vad_pause_ms: shortest pause at which speech is parted; milliseconds.  A fifth of
            faster-whisper's own: words then cannot be told to begin in the pause before.
        vad_pad_ms: sound kept on either side of speech, milliseconds.
        pause_s: a gap between words from which on a new utterance begins, seconds.
        frame_ms: length over which the sound's level is taken, milliseconds.
        silence_dbfs: level below which sound is silence, decibels of full scale.
        above_noise_db: how far above the noise a frame counts as sound.
        below_loud_db: how far below the loud frames sound may lie at most; where noise is
            nearer than this to speech, levels cannot tell the two apart.
        quiet_share: share of a piece's frames that are noise at most, for the noise's level.
        loud_share: share of frames that are no louder than the loud ones.
        least_silence_s: shortest silence that parts sounds; closures of stops are shorter.
        least_sound_s: shortest sound that is not a click.
        early_limit_s: a word that begins up to this long before its sound is set to it.
        late_limit_s: a word that begins up to this long after its sound is set back to it.
        least_word_s: shortest word.
        least_rise_db: an utterance that is nearer than this to the piece's noise was not
            spoken.
        reject_confidence: mean word probability below which an utterance is left out.
        weak_confidence: mean word probability below which it is flagged ``weak``.
        min_word_probability: below this a word flags its utterance ``doubtful_word``.
        no_speech_limit: probability that a window holds no speech above which, together
            with ``min_log_probability``, its utterances are left out.
        min_log_probability: mean log probability of a window's tokens.
        loop_length: longest run of words that is looked at as a loop's body.
        loop_repeats: from this many repetitions in a row on it is a loop.
        loop_words: least words in a loop; a word may well be said four times.
        max_words_per_s: fastest speech; made-up words are crammed into too little time.
        hurried_words: fewest words that are measured so.
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


@dataclass(frozen=True, slots=True)
class AnchorSettings:
    """How utterances become anchors.

    Attributes:
        match_score: likeness of letters from which on a stretch is the term, 0 to 1 (twice
            the common letters in order, by the letters of both).
        weak_score: likeness from which on it is kept and flagged ``weak``.
        least_letters: shorter stretches and terms are compared exactly only.
        heard_score: score of a spelling that is listed as a mishearing.
        longest: most words in a stretch.
        negation_words: how many words before an action a negator is looked for.
        negation_signs: the same for characters of Chinese.
        need_words: how far from a term the words are that it needs.
        merge_gap_s: anchors of one phase merge over gaps up to this, seconds (our choice of
            the benchmarks' rules, 3.3).
        spoken_score, known_score, cued_score: score of a phase that was named, that the
            context knew, that actions and tissues hint at.
        heard_s: how finely the time of words is known, seconds.
        announced_s: what is announced is under way so long after the words, seconds.  Our choice:
            the longest time between a cue and its action in SurgCoT.
        phase_reach_s: a phase of which is spoken twice went on in between, over so many seconds
            of silence about it at most.  Our choice: as far as SurgCoT looks from one action to
            the next.
    """

    match_score: float = 0.85
    weak_score: float = 0.78
    least_letters: int = 7
    heard_score: float = 0.9
    longest: int = 6
    negation_words: int = 5
    negation_signs: int = 4
    need_words: int = 3
    merge_gap_s: float = 2.0
    spoken_score: float = 1.0
    known_score: float = 0.8
    cued_score: float = 0.5
    heard_s: float = 0.5
    announced_s: float = 2.0
    phase_reach_s: float = 60.0
