"""The first half of the plain script: read label files, link instruments, cut clips.

It is written as a competent user would write it in one evening: json, dicts and loops, everything
in memory.  It shares no code with surgqa.
"""

import hashlib
import json
from collections import Counter, defaultdict
from pathlib import Path

NAMES = {
    "grasper": "grasper", "bipolar": "bipolar forceps", "hook": "hook", "scissors": "scissors",
    "clipper": "clip applier", "irrigator": "suction irrigator",
    "null_verb": "idle", "null_target": "no specific target",
}  # fmt: skip
IDLE = ("null_verb", "null_target")
SPEED, SLACK = 0.6, 0.05  # largest step per second, jitter
GAP = 1.5  # largest distance in seconds between labels of one stretch; labels have 1 fps
PERIOD = 1
US = 1_000_000


def show(name):
    return NAMES.get(name, name.replace("_", " "))


def distance(a, b):
    return ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5


def parse(path, rejects):
    """One label file -> {'id', 'times', 'at': {second: [event]}, 'phases', 'sha256'}."""
    data = path.read_bytes()
    raw = json.loads(data)
    names = {kind: {int(k): v for k, v in d.items()} for kind, d in raw["categories"].items()}
    video = {"id": path.stem, "at": {}, "phases": {}, "file": f"labels/{path.name}"}
    video["sha256"] = hashlib.sha256(data).hexdigest()
    for frame, rows in raw["annotations"].items():
        t = int(frame)
        events = {}
        for number, row in enumerate(rows):
            video["phases"][t] = names["phase"].get(int(row[14]), "unknown")
            if row[1] < 0:
                continue  # annotated: nothing is visible
            event = parse_row(row, names, t, rejects)
            if event is None:
                continue
            event["pointer"] = f"annotations/{t}/{number}"
            same = events.setdefault((event["label"], event["box"]), event)
            if same is not event:
                same["pairs"] = sorted(set(same["pairs"] + event["pairs"]))
        video["at"][t] = sorted(events.values(), key=lambda e: (e["label"], e["box"]))
    video["times"] = sorted(video["at"])
    return video


def parse_row(row, names, t, rejects):
    label = names["instrument"].get(int(row[1]))
    verb, target = names["verb"].get(int(row[7])), names["target"].get(int(row[8]))
    if label is None or verb is None or target is None:
        rejects["read", "unknown_label"] += 1
        return None
    x, y, w, h = row[3:7]
    x1, y1, x2, y2 = max(x, 0.0), max(y, 0.0), min(x + w, 1.0), min(y + h, 1.0)
    if x2 <= x1 or y2 <= y1:
        rejects["read", "bad_box"] += 1
        return None
    return {
        "t": t, "label": label, "box": (x1, y1, x2, y2), "pairs": [(verb, target)],
        "centre": ((x1 + x2) / 2, (y1 + y2) / 2),
    }  # fmt: skip


def link(video):
    """Assign the nearest centroid greedily, per class: sets 'track', 'id', 'verb', 'target'."""
    last, numbers, tracks = defaultdict(dict), Counter(), {}
    for t in video["times"]:
        by_label = defaultdict(list)
        for event in video["at"][t]:
            by_label[event["label"]].append(event)
        for label, events in by_label.items():
            open_tracks = {k: e for k, e in last[label].items() if t - e["t"] <= GAP * PERIOD}
            match(events, open_tracks, t)
            for k, event in enumerate(events):
                if "track" not in event:
                    numbers[label] += 1
                    event["track"] = f"{label}-{numbers[label]}"
                    tracks[event["track"]] = []
                event["id"] = f"{t}-{label}-{k + 1}"
                single = len(event["pairs"]) == 1
                event["verb"], event["target"] = event["pairs"][0] if single else (None, None)
                tracks[event["track"]].append(event)
                open_tracks[event["track"]] = event
            last[label] = open_tracks
    video["tracks"] = tracks


def match(events, open_tracks, t):
    pairs = []
    for k, (track, old) in enumerate(open_tracks.items()):
        for row, event in enumerate(events):
            d = distance(event["centre"], old["centre"])
            if d <= SPEED * (t - old["t"]) + SLACK:
                pairs.append((d, k, row, track))
    used = set()
    for _, _, row, track in sorted(pairs):
        if "track" not in events[row] and track not in used:
            events[row]["track"] = track
            used.add(track)


def cut(video, rejects):
    """Return clips of 20-30 s as [(start, end)] in whole seconds."""
    clips = []
    for start, end in stretches(video["times"]):
        length = end - start
        fewest, most = -(-length // 30), length // 20
        if length < 20:
            rejects["cut", "too_short"] += length
        elif fewest > most:
            clips.append((start, start + 30))
            rejects["cut", "left_over"] += length - 30
        else:
            n = min(max(int(length / 25 + 0.5), fewest), most)
            edges = [start + i * length // n for i in range(n + 1)]
            clips += list(zip(edges[:-1], edges[1:], strict=True))
    return clips


def stretches(times):
    out, begin = [], 0
    for i in range(1, len(times) + 1):
        if i == len(times) or times[i] - times[i - 1] > GAP * PERIOD:
            out.append((times[begin], times[i - 1] + PERIOD))
            begin = i
    return out


class Clip:
    """One clip, with the data that questions about it need."""

    def __init__(self, video, start, end):
        self.video, self.start, self.end = video["id"], start, end
        self.name = f"{video['id']}_{start}_{end}"
        self.times = [t for t in range(start, end) if t in video["at"]]
        self.at = {t: video["at"][t] for t in self.times}
        self.tracks, self.by_time = {}, {}
        for t in self.times:
            for event in self.at[t]:
                self.tracks.setdefault(event["track"], []).append(event)
                self.by_time.setdefault(event["track"], {})[t] = event
        self.track_ids = list(self.tracks)
        self.labels = sorted({e["label"] for events in self.at.values() for e in events})
        self.targets = sorted(
            {p[1] for events in self.at.values() for e in events for p in e["pairs"]}
            - {"null_target"}
        )
        self.number_instances()
        self.blocks = {track: self.find_blocks(track) for track in self.track_ids}

    def number_instances(self):
        """Number the instances of a class by first sample; note when two are visible at once."""
        self.number, count = {}, Counter()
        for track in self.track_ids:
            label = self.tracks[track][0]["label"]
            count[label] += 1
            self.number[track] = count[label]
        self.doubled, most = defaultdict(set), Counter()
        for t, events in self.at.items():
            for label, n in Counter(e["label"] for e in events).items():
                most[label] = max(most[label], n)
                if n > 1:
                    self.doubled[label].add(t)
        # a class name (with a number) identifies one instrument if none left and came back
        self.identified = {label for label in count if count[label] == most[label]}

    def find_blocks(self, track):
        """Return maximal runs of one track with the same pairs."""
        blocks = []
        for event in self.tracks[track]:
            old = blocks[-1] if blocks else None
            if old and old["pairs"] == event["pairs"] and event["t"] - old["last"] <= GAP:
                old["last"] = event["t"]
            else:
                blocks.append({"pairs": event["pairs"], "first": event["t"], "last": event["t"]})
        for block in blocks:
            block["start"] = max(block["first"] - PERIOD / 2, self.start)
            block["end"] = min(block["last"] + PERIOD / 2, self.end)
            block["seconds"] = block["end"] - block["start"]
        return blocks

    def tool(self, track, t1, t2):
        """Return the name of an instrument in a question about [t1, t2]."""
        label = self.tracks[track][0]["label"]
        doubled = any(t1 <= t <= t2 for t in self.doubled[label])
        number = self.number[track] if doubled else None
        return {"label": label, "instance": number, "track_id": track}

    def run(self, track, t):
        """Return the first and last second of the uninterrupted presence that contains t."""
        there = self.by_time[track]
        first = last = t
        while first - PERIOD in there:
            first -= PERIOD
        while last + PERIOD in there:
            last += PERIOD
        return first, last

    def samples(self, track, t1, t2):
        """Return the events at every annotated second of [t1, t2]; None if one is missing."""
        there = self.by_time[track]
        out = []
        for t in range(t1, t2 + 1):
            if t not in there:
                return None
            out.append(there[t])
        return out

    def continuous(self, track, t1, t2):
        """Return the same; None as well if a step is faster than the limit."""
        out = self.samples(track, t1, t2)
        if out is None:
            return None
        for a, b in zip(out, out[1:], strict=False):
            if distance(a["centre"], b["centre"]) > SPEED * (b["t"] - a["t"]):
                return None
        return out


def load(folder, rejects):
    videos = [parse(path, rejects) for path in sorted(Path(folder, "labels").glob("*.json"))]
    for video in videos:
        link(video)
        video["clips"] = cut(video, rejects)
    return videos
