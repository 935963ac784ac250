#!/usr/bin/env python3
# An agent without devices, in the place of weft agent: it answers each frame of fabric/agent.h as a
# host whose NICs do all at once, but for the lie that $LIE names, told by the host whose device is $LIAR, or by all.
import json
import os
import socket
import struct
import sys
import time

HELLO, OPEN, OPENED, CLOCK, PREPARE, PREPARED, CONNECT, CONNECTED, START, SENT, STEPS, STOP, \
    RESULT, REFUSE = range(1, 15)
lie = os.environ.get("LIE", "")
name = None


def read(count):
    got = b""
    while len(got) < count:
        part = os.read(0, count - len(got))
        if not part:
            sys.exit(0)
        got += part
    return got


def say(kind, body):
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    data = b"WF\x01" + bytes([kind]) + struct.pack(">I", len(text)) + text
    while data:
        data = data[os.write(1, data):]


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def end(number, qps):
    return {**pattern("end"), "gid": f"10.1.{number}.1", "rkey": 7, "base": 4096, "cm_port": 0, "cm_word": 0, "reads": 16,
            "qp": [x for i in range(qps) for x in (17 + i, 1)]}


def pattern(of):
    """What is always whole: the frames that are fuzzed."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fuzz", "corpus", "gen_wire")
    with open(os.path.join(folder, of + ".json")) as file:
        return json.load(file)


def side(device, number):
    return {**pattern("side"), "device": device, "gid": f"10.1.{number}.1"}


def lies(what):
    return lie == what and os.environ.get("LIAR", "all") in (name, "all")


def prepared(body):
    global ends, ring
    ends = body["ends"]
    ring = body.get("ring")
    answer = {"ends": [end(1, e["plan"]["qps"]) for e in ends]}
    if body.get("probe"):
        answer["probes"] = [0]
    if ring:
        answer["ring"] = {"next": end(1, ring["qps"]), "prev": end(1, ring["qps"])}
    return answer


def steps_of():
    return 2 * (ring["ranks"] - 1) * ring["iterations"]


def sent(begin):
    answer = {"ends": []}
    took = 0
    for e in ends:
        all_messages = e["plan"]["messages"] * e["plan"]["qps"]
        took = max(1, all_messages * e["plan"]["bytes"] * 4)  # ns at 2 Gb/s
        one = {"messages": all_messages, "posted": all_messages, "begin_ns": begin,
               "end_ns": begin + took, "unreachable": 0, "why": ""}
        if lies("huge"):
            one.update(messages=2**63 - 1, posted=2**63 - 1, end_ns=2**63 - 1)
        if lies("backwards"):
            one.update(begin_ns=begin + took, end_ns=begin)
        if lies("unreachable"):
            one.update(messages=0, unreachable=1, why="10.1.2.1 does not acknowledge")
        answer["ends"].append(one if e["active"] else
                              {**one, "messages": 0, "posted": 0, "begin_ns": 0, "end_ns": 0})
    time.sleep(max(0, begin + took - now()) / 1e9)
    if ring:
        all_steps = steps_of()
        answer["ring"] = {**pattern("ring-sent"), "taken": all_steps, "acknowledged": all_steps, "checked": all_steps, "sums_ns": 900,
                          "wrong_chunks": 0, "wrong_elements": 0, "wrong_step": 0, "wrong_chunk": 0,
                          "wrong_element": 0, "unreachable_next": 0,
                          "unreachable_prev": 0, "failed": 0, "why": ""}
        if lies("unreachable"):
            answer["ring"].update(taken=0, acknowledged=0, checked=0, unreachable_next=1,
                                  why="no way")
        if lies("steps-beyond"):
            answer["ring"].update(taken=1 << 20, checked=1 << 20, wrong_chunks=5, wrong_step=1 << 20)
    return answer


def result():
    counters = {"read": 1, "first_ns": 1000, "last_ns": now(),
                "counters": [[name, 3, 3] for name in (
                    "completer_retry_err", "duplicate_request", "out_of_seq_request", "rcvd_seq_err",
                    "retry_exceeded_err")], "samples": []}
    if lies("huge"):
        counters["counters"] = [["out_of_seq_request", 0, 2**63 - 1]]
        counters["samples"] = [[2**63 - 1, 0, 2**63 - 1]]
    if lies("samples"):
        counters["samples"] = [[1, 7, 1]]
    return {"devices": [counters], "arrived": [],
            "series": [{"checked": 0, "corrupt": 0, "begin_ns": 0, "bytes": [1, 2]} for _ in ends]}


say(HELLO, {"program": os.environ["PROGRAM"], "host": socket.gethostname()})
ends, ring, begin = [], None, 0
while True:
    header = read(8)
    body = json.loads(read(struct.unpack(">I", header[4:])[0]))
    kind = header[3]
    if kind == OPEN:
        name = body["devices"][0]
        say(OPENED, {"devices": [side(name, int(name[3:]))]})
    elif kind == CLOCK:
        time_now = 2**63 - 1 if lies("clock") else now()
        say(CLOCK, {"id": body["id"], "now_ns": time_now})
    elif kind == PREPARE:
        say(PREPARED, prepared(body))
    elif kind == CONNECT:
        say(CONNECTED, {})
    elif kind == START:
        begin = body["at_ns"]
        answer = sent(begin)
        if lies("nan"):
            say(SENT, json.dumps(answer).replace('"messages": ', '"messages": NaN, "x": ').encode())
        elif lies("fraction"):
            say(SENT, json.dumps(answer).replace('"posted": ', '"posted": 1.5, "x": ').encode())
        elif lies("negative"):
            say(SENT, json.dumps(answer).replace('"posted": ', '"posted": -1, "x": ').encode())
        elif lies("short"):
            say(SENT, {"ends": answer["ends"][1:]})
        elif lies("twice"):
            say(SENT, answer)
            say(SENT, answer)
        elif lies("early"):
            say(RESULT, result())
        elif lies("nothing"):
            say(SENT, {})
        elif lies("deep"):
            say(SENT, b"[" * 100000)
        else:
            say(SENT, answer)
    elif kind == STEPS:
        first = body["from"]
        step = [[begin + i * 1000000, begin + i * 1000000 + 1, begin + i * 1000000 + 900000,
                 begin + i * 1000000 + 950000] for i in range(first, min(steps_of(), first + 1000))]
        if lies("unreachable"):
            step = [[0, 0, 0, 0]] * len(step)
        if lies("huge"):
            step = [[2**63 - 1] * 4] * len(step)
        if lies("backwards"):
            step = [[s[3], s[2], s[1], s[0]] for s in step]
        if lies("no-steps"):
            step = []
        say(STEPS, {"steps": [x for s in step for x in s]})
    elif kind == STOP:
        say(RESULT, result())
