"""Wordings of the plain script: three str.format patterns per question."""

WORDINGS = {
    "trajectory": [
        "Where are the two most extreme {axis} positions of the {tool} from {start} to {end}?",
        "From {start} to {end}, give the boxes at both {axis} ends of the path of the {tool}.",
        "Name the {axis} extremes that the {tool} reached between {start} and {end}.",
    ],
    "window": [
        "For each instrument in view at {t}, when does it appear and disappear, and where?",
        "List every instrument visible at {t} with its time window and its two end boxes.",
        "Give first and last sighting, with boxes, of all instruments seen at {t}.",
    ],
    "locate": [
        "Where is the {tool} at {t}?",
        "Give the box of the {tool} at {t}.",
        "At {t}, which box holds the {tool}?",
    ],
    "segment": [
        "Which part of the frame holds the {tool} at {t}?",
        "At {t}, in which third of the frame is the {tool}, across and down?",
        "Say in which ninth of the picture the {tool} is at {t}.",
    ],
    "closest": [
        "Which instrument is nearest to the point ({x}, {y}) at {t}?",
        "At {t}, what instrument lies closest to ({x}, {y})?",
        "Name the instrument nearest to ({x}, {y}) at {t}.",
    ],
    "next_action": [
        "What does the {tool} do right after the action {verb} ends at {t}?",
        "At {t} the {tool} stops doing this: {verb}. What comes next?",
        "Which action of the {tool} follows {verb}, which ends at {t}?",
    ],
    "action_status": [
        "What is the {tool} doing from {start} to {end}?",
        "Name the action of the {tool} between {start} and {end}.",
        "From {start} to {end}, does the {tool} act, and how?",
    ],
    "movement_status": [
        "How does the {tool} move from {start} to {end}?",
        "Between {start} and {end}, is the {tool} stationary, slow, moderate or fast?",
        "Describe the motion of the {tool} from {start} to {end} in one word.",
    ],
    "target_interaction": [
        "With what target does the {tool} interact from {start} to {end}?",
        "Between {start} and {end}, what does the {tool} act on?",
        "Name the target of the {tool} from {start} to {end}.",
    ],
    "identify_bbox": [
        "Which instrument is inside {box} at {t}?",
        "At {t}, what instrument does the box {box} hold?",
        "Name the instrument in {box} at {t}.",
    ],
    "rel_pos": [
        "Where is the {tool} relative to the {other} at {t}?",
        "At {t}, on which side of the {other} is the {tool}?",
        "Give the position of the {tool} as seen from the {other} at {t}.",
    ],
    "rel_change": [
        "How does the distance of the {tool} and the {other} change from {start} to {end}?",
        "From {start} to {end}, do the {tool} and the {other} come closer?",
        "Compare how far the {tool} and the {other} are apart at {start} and at {end}.",
    ],
    "comparison": [
        "Do the {tool} and the {other} act on the same target from {start} to {end}?",
        "From {start} to {end}, is the target of the {tool} also that of the {other}?",
        "Name the targets of the {tool} and the {other} from {start} to {end}; are they one?",
    ],
    "velocity": [
        "How fast does the {tool} move from {start} to {end}?",
        "Give least, greatest and mean speed of the {tool} between {start} and {end}.",
        "Estimate the speed of the {tool} from {start} to {end}.",
    ],
    "counting_distinct": [
        "How many different instruments are visible at {t}?",
        "At {t}, how many kinds of instrument are in view?",
        "Count the kinds of instrument seen at {t}.",
    ],
    "counting_specific": [
        "How many instruments of the kind {kind} are visible at {t}?",
        "At {t}, what is the number of instruments of the kind {kind}?",
        "Count the instruments of the kind {kind} at {t}.",
    ],
    "counting_concurrent": [
        "How many instruments are visible at once, at most, from {start} to {end}?",
        "From {start} to {end}, what is the highest number of instruments in view together?",
        "Give the largest number of instruments seen together between {start} and {end}.",
    ],
    "existence_global": [
        "Does the {kind} appear anywhere in the clip?",
        "Is the {kind} ever seen in this clip?",
        "Can the {kind} be seen at any time in the clip?",
    ],
    "existence_local_inst": [
        "Is the {kind} visible at {t}?",
        "At {t}, can the {kind} be seen?",
        "Does the frame at {t} show the {kind}?",
    ],
    "existence_local_target": [
        "Does any instrument act on this target at {t}: {target}?",
        "At {t}, is some instrument interacting with the target {target}?",
        "Is the target {target} being worked on at {t}?",
    ],
    "classes": [
        "Which set of instruments is visible at {t}?",
        "At {t}, which of these sets is in view?",
        "Choose the instruments seen at {t}.",
    ],
    "trajectory_reasoning": [
        "Describe step by step how the {tool} moves and acts from {start} to {end}.",
        "Analyse the path and the behaviour of the {tool} between {start} and {end}.",
        "From {start} to {end}, what does the {tool} do, and how does it travel?",
    ],
    "locate_by_action": [
        "Where is the instrument that does this at {t}: {verb}?",
        "At {t}, which instrument performs the action {verb}, and where?",
        "Name and locate the instrument whose action at {t} is {verb}.",
    ],
    "locate_by_target": [
        "Where is the instrument acting on this at {t}: {target}?",
        "At {t}, which instrument touches the target {target}, and where?",
        "Name and locate the instrument whose target at {t} is {target}.",
    ],
    "refusal_absent_instrument": [
        "Where is the {tool} at {t}?",
        "Give the box of the {tool} at {t}.",
        "At {t}, which box holds the {tool}?",
    ],
    "refusal_no_specific_action": [
        "What is the {tool} doing at {t}?",
        "Name the action of the {tool} at {t}.",
        "At {t}, which action does the {tool} carry out?",
    ],
    "reverse_target": [
        "Which instruments act on this target from {start} to {end}: {target}?",
        "From {start} to {end}, what touches the target {target}?",
        "Name all instruments whose target between {start} and {end} is {target}.",
    ],
    "interaction_duration": [
        "For how long does the {tool} do this in the clip: {verb}, {target}?",
        "Give the total time of the {tool} for {verb}, {target}.",
        "How much time does the {tool} spend on {verb}, {target}?",
    ],
    "interaction_count": [
        "How often does the {tool} do this in the clip: {verb}, {target}?",
        "Count the times the {tool} does this: {verb}, {target}.",
        "In how many stretches does the {tool} do {verb}, {target}?",
    ],
    "longest_continuous_action": [
        "What is the longest stretch of this action by the {tool}: {verb}?",
        "When does the {tool} do this for longest: {verb}?",
        "Give length and bounds of the longest {verb} of the {tool}.",
    ],
    "idle_duration": [
        "How long is the {tool} idle in this clip?",
        "For what time and share does the {tool} not act?",
        "Give the idle time of the {tool}.",
    ],
    "first_appearance_time": [
        "When is the {kind} first seen?",
        "At what time does the {kind} appear?",
        "Give the time of the first sight of the {kind}.",
    ],
    "last_appearance_time": [
        "When is the {kind} last seen?",
        "At what time does the {kind} disappear for good?",
        "Give the time of the last sight of the {kind}.",
    ],
    "first_action": [
        "What does the {tool} do first in the clip?",
        "Name the first action of the {tool}.",
        "Which action does the {tool} begin with?",
    ],
    "action_sequence": [
        "List the actions of the {tool} in order.",
        "What does the {tool} do in this clip, step by step?",
        "Give the sequence of actions of the {tool} with their times.",
    ],
    "most_active_instrument": [
        "Which kind of instrument acts longest in this clip?",
        "Name the most active kind of instrument.",
        "What kind of instrument spends most time acting?",
    ],
    "most_target_diversity_instrument": [
        "Which kind of instrument touches most different targets?",
        "Name the kind of instrument with the most diverse targets.",
        "What kind of instrument acts on the largest number of targets?",
    ],
    "dominant_verb": [
        "Which action does the {tool} spend most time on?",
        "Name the main action of the {tool}.",
        "What does the {tool} mostly do in this clip?",
    ],
    "distinct_targets_touched": [
        "Which different targets does the {tool} act on in this clip?",
        "Name and count the targets of the {tool}.",
        "How many targets does the {tool} touch, and which?",
    ],
}
