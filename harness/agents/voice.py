"""The voice of the baseline agents: the embedded engine, each phrase made once and kept in the clip store."""

from __future__ import annotations

from functools import lru_cache

from ...tts.clips import clip_key, clip_seed, render_clip
from ...tts.engine import Engine
from ...tts.placement import Int16
from ...tts.registry import engine_fingerprint, fingerprint_digest, known_voices, load_engine
from ...tts.spoken import spoken_form
from ...tts.store import ClipStore


class Voicebox:
    """Speaks phrases as int16 samples at 24 kHz; loads the engine only for a phrase that the store lacks."""

    def __init__(self, store: ClipStore, engine: str = "hibari", seed: int = 0) -> None:
        self.engine_name = engine
        self.store = store
        self.seed = seed
        self.voice = known_voices(engine)[0].name
        self._fingerprint = fingerprint_digest(engine_fingerprint(engine))
        self._made: dict[str, Int16] = {}

    def settings(self) -> dict[str, str]:
        """What the speech depends on."""
        return {"engine": self.engine_name, "voice": self.voice, "fingerprint": self._fingerprint}

    def speak(self, text: str) -> Int16:
        """The samples of `text`. Raises `EngineError` or `ClipError` where it cannot be spoken."""
        if text not in self._made:
            self._made[text] = self._fetch(spoken_form(text).spoken)
        return self._made[text]

    def _fetch(self, spoken: str) -> Int16:
        seed = clip_seed(self.seed, self.voice, spoken, 0)
        key = clip_key(self._fingerprint, self.voice, spoken, seed)
        stored = self.store.get(key)
        if stored is not None:
            return stored[0]
        engine = _engine(self.engine_name)
        samples, record = render_clip(engine, key=key, voice=self.voice, spoken_text=spoken, seed=seed)
        self.store.put(key, samples, record)
        return samples


@lru_cache(maxsize=2)
def _engine(name: str) -> Engine:
    return load_engine(name)
