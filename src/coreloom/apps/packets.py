# SPDX-License-Identifier: Apache-2.0
"""Packet processing of [SMP]: a capture in, counters, stored and forwarded frames out.

The expected result is computed here with dpkt, zlib and ipaddress from the rules in apps/packets/README.md,
not from the program's source.
"""

from __future__ import annotations

import ipaddress
import json
import struct
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dpkt  # type: ignore[import-untyped]

from coreloom.apps import capture
from coreloom.apps.base import App, read_file
from coreloom.errors import WrongOutput
from coreloom.files import write_atomically

KINDS = ("arp", "icmp", "tcp", "udp", "ipv4 other", "icmpv6", "tcp over ipv6", "udp over ipv6", "ipv6 other")
ACTIONS = ("forward", "store", "discard")
REASONS = (
    "",
    "cut",
    "short",
    "fcs",
    "type",
    "header",
    "length",
    "checksum",
    "transport",
    "blocked",
    "not routed",
    "expired",
)
_FIELDS = (
    "frames",
    "bytes",
    "crc sum",
    *(f"kind {name}" for name in KINDS),
    *ACTIONS,
    *(f"discarded {name}" for name in REASONS),
    "forwarded bytes",
    "forwarded crc sum",
    "stored bytes",
    "fcs bytes",
    "nanoseconds",
    "broken",
    "forward words",
)
_RESULT = struct.Struct(f"<{len(_FIELDS)}I")
_RING_BYTES = 128 << 10
_FORWARD_HEADER = struct.Struct("<IIII")  # seconds, fraction, number, bytes

_BLOCKED = ipaddress.ip_network("10.66.0.0/16")
_LOCAL = ipaddress.ip_network("192.168.7.0/24")
_NOT_ROUTED = ipaddress.ip_network("224.0.0.0/3")


class PacketProcessing(App):
    """apps/packets. INPUT: a pcap file. OUTPUT: counters, a ring of stored frames, the forwarded frames."""

    name = "packets"
    unit = "packets"
    suffix = ".json"

    def prepare(self, input: Path | None) -> bytes:
        if input is None:
            return capture.make()
        data = read_file(input)
        capture.check(data, input)
        return data

    def expected(self, data: bytes) -> bytes:
        file, records = capture.read(data)
        count: Counter[str] = Counter()
        stored: list[bytes] = []
        forwarded: list[bytes] = []
        for number, record in enumerate(records):
            frame = record.data
            cut = len(frame) < record.original
            fcs = b""
            if file.fcs_bytes and not cut:
                frame, fcs = frame[:-4], frame[-4:]
            crc = zlib.crc32(frame)
            count["frames"] += 1
            count["bytes"] += len(frame)
            count["crc sum"] += crc
            found = _examine(frame)
            reason = found.reason
            if cut:
                reason = "cut"
            elif reason != "short" and file.fcs_bytes and crc.to_bytes(4, "little") != fcs:
                reason = "fcs"
            action = "discard"
            if not reason:
                count[f"kind {found.kind}"] += 1
                action, reason = _decide(found)
            count[action] += 1
            if action == "discard":
                count[f"discarded {reason}"] += 1
            elif action == "store":
                stored.append(_words(struct.pack("<II", number, len(frame)) + frame))
            else:
                sent = _sent_on(frame, found)
                crc_sent = zlib.crc32(sent)
                count["forwarded bytes"] += len(sent)
                count["forwarded crc sum"] += crc_sent
                if file.fcs_bytes:
                    sent += crc_sent.to_bytes(4, "little")
                header = _FORWARD_HEADER.pack(record.seconds, record.fraction, number, len(sent))
                forwarded.append(header + _words(sent))
        ring_total = b"".join(stored)
        forward_records = b"".join(forwarded)
        count["stored bytes"] = len(ring_total)
        count["fcs bytes"] = file.fcs_bytes
        count["nanoseconds"] = file.nanoseconds
        count["forward words"] = len(forward_records) // 4
        result = _RESULT.pack(*(count[name] & 0xFFFF_FFFF for name in _FIELDS))
        return result + _ring(ring_total) + forward_records

    def check(self, output: bytes, data: bytes) -> None:
        expected = self.expected(data)
        if output == expected:
            return
        if len(output) < _RESULT.size:
            raise WrongOutput(f"packets: the output has {len(output)} bytes, too few for the counters")
        ours = zip(_FIELDS, _RESULT.unpack_from(output), _RESULT.unpack_from(expected), strict=True)
        for name, got, wanted in ours:
            if got != wanted:
                raise WrongOutput(f"packets: counter '{name}' is {got}, expected {wanted}")
        if len(output) != len(expected):
            raise WrongOutput(f"packets: the output has {len(output)} bytes, expected {len(expected)}")
        at = next(i for i in range(len(output)) if output[i] != expected[i])
        ring_end = _RESULT.size + _RING_BYTES
        where = (
            f"byte {at - _RESULT.size} of the stored frames"
            if at < ring_end
            else f"byte {at - ring_end} of the forwarded frames"
        )
        raise WrongOutput(f"packets: {where} is {output[at]:#04x}, expected {expected[at]:#04x}")

    def save(self, output: bytes, path: Path) -> None:
        """The counters as JSON; the forwarded frames as a capture next to it."""
        summary, frames = decode(output)
        text = json.dumps(summary, indent=1) + "\n"
        write_atomically(path.with_suffix(".forwarded.pcap"), frames)
        write_atomically(path, text.encode())


def decode(output: bytes) -> tuple[dict[str, Any], bytes]:
    """The counters of an output, named; and the forwarded frames as a pcap file."""
    count = dict(zip(_FIELDS, _RESULT.unpack_from(output), strict=True))
    records = []
    at = _RESULT.size + _RING_BYTES
    while at < len(output):
        seconds, fraction, _, size = _FORWARD_HEADER.unpack_from(output, at)
        at += _FORWARD_HEADER.size
        records.append(capture.Record(seconds, fraction, output[at : at + size], size))
        at += (size + 3) // 4 * 4
    link = capture.LINK_ETHERNET_FCS if count["fcs bytes"] else capture.LINK_ETHERNET
    summary = {
        "frames": count["frames"],
        "bytes": count["bytes"],
        "crc32_sum": count["crc sum"],
        "fcs_checked": bool(count["fcs bytes"]),
        "kinds": {name: count[f"kind {name}"] for name in KINDS},
        "actions": {name: count[name] for name in ACTIONS},
        "discarded": {name: count[f"discarded {name}"] for name in REASONS if name},
        "forwarded_bytes": count["forwarded bytes"],
        "forwarded_crc32_sum": count["forwarded crc sum"],
    }
    return summary, capture.write(records, link, nanoseconds=bool(count["nanoseconds"]))


def _words(data: bytes) -> bytes:
    """Filled up to whole words."""
    return data + bytes(-len(data) % 4)


def _ring(total: bytes) -> bytes:
    """The contents of a ring after all of `total` has gone through it, from its first byte on."""
    if len(total) <= _RING_BYTES:
        return total.ljust(_RING_BYTES, b"\0")
    turn = len(total) % _RING_BYTES
    latest = total[-_RING_BYTES:]
    return latest[_RING_BYTES - turn :] + latest[: _RING_BYTES - turn]


@dataclass(frozen=True)
class _Found:
    """Facts from the headers of a frame. reason "": they are undamaged."""

    reason: str
    kind: str = ""
    network: int = 0  # offset of the IP header
    ttl: int = 0  # or hop limit
    source: ipaddress.IPv4Address | None = None
    destination: ipaddress.IPv4Address | None = None
    port: int = 0  # destination


def _examine(frame: bytes) -> _Found:
    if len(frame) < 14:
        return _Found("short")
    at = 14
    if frame[12:14] == b"\x81\x00":
        at = 18
        if len(frame) < at:
            return _Found("short")
    rest = frame[at:]
    match int.from_bytes(frame[at - 2 : at], "big"):
        case dpkt.ethernet.ETH_TYPE_IP:
            return _examine_ipv4(rest, at)
        case dpkt.ethernet.ETH_TYPE_IP6:
            return _examine_ipv6(rest, at)
        case dpkt.ethernet.ETH_TYPE_ARP:
            try:
                found = dpkt.arp.ARP(rest)
            except dpkt.UnpackError:
                return _Found("header")
            usual = (found.hrd, found.pro, found.hln, found.pln) == (1, 0x0800, 6, 4)
            return _Found("", "arp", at) if usual else _Found("header")
    return _Found("type")


def _examine_ipv4(data: bytes, at: int) -> _Found:
    try:
        header = dpkt.ip.IP(data[:20])  # the fixed part
    except dpkt.UnpackError:
        return _Found("header")
    size = header.hl * 4
    if header.v != 4 or size < 20 or size > len(data):
        return _Found("header")
    if not size <= header.len <= len(data):
        return _Found("length")
    if dpkt.in_cksum(data[:size]) != 0:
        return _Found("checksum")
    kind = {1: "icmp", 6: "tcp", 17: "udp"}.get(header.p, "ipv4 other")
    port = 0
    if header.offset == 0:
        port = _port(header.p, data[size : header.len], whole=not header.mf)
        if port < 0:
            return _Found("transport")
    source, destination = ipaddress.IPv4Address(header.src), ipaddress.IPv4Address(header.dst)
    return _Found("", kind, at, header.ttl, source, destination, port)


def _examine_ipv6(data: bytes, at: int) -> _Found:
    if len(data) < 40 or data[0] >> 4 != 6:
        return _Found("header")
    payload, protocol, hops = struct.unpack_from(">HBB", data, 4)
    if payload > len(data) - 40:
        return _Found("length")
    kinds = {58: "icmpv6", 6: "tcp over ipv6", 17: "udp over ipv6"}
    port = _port(protocol, data[40 : 40 + payload], whole=True) if protocol in kinds else 0
    if port < 0:
        return _Found("transport")
    return _Found("", kinds.get(protocol, "ipv6 other"), at, hops, port=port)


def _port(protocol: int, data: bytes, whole: bool) -> int:
    """The destination port, 0 for a protocol without; -1 if the transport header is damaged."""
    try:
        if protocol == dpkt.ip.IP_PROTO_TCP:
            tcp = dpkt.tcp.TCP(data)
            return int(tcp.dport) if tcp.off * 4 <= len(data) else -1
        if protocol == dpkt.ip.IP_PROTO_UDP:
            udp = dpkt.udp.UDP(data)
            return -1 if udp.ulen < 8 or (whole and udp.ulen > len(data)) else int(udp.dport)
    except dpkt.UnpackError:
        return -1
    if protocol in (dpkt.ip.IP_PROTO_ICMP, dpkt.ip.IP_PROTO_ICMP6) and len(data) < 8:
        return -1
    return 0


def _decide(found: _Found) -> tuple[str, str]:
    """(action, reason) by the rules of apps/packets/README.md, in their order."""
    if found.kind == "arp":
        return "store", ""
    if found.source is not None and found.source in _BLOCKED:
        return "discard", "blocked"
    if found.kind.startswith("tcp") and found.port == 23:
        return "discard", "blocked"
    if found.kind.startswith("udp") and found.port == 1900:
        return "discard", "blocked"
    if found.destination is not None and found.destination in _NOT_ROUTED:
        return "discard", "not routed"
    if found.kind in ("icmp", "icmpv6"):
        return "store", ""
    if found.kind.startswith("udp") and found.port == 514:
        return "store", ""
    if found.destination is not None and found.destination in _LOCAL:
        return "store", ""
    if found.ttl <= 1:
        return "discard", "expired"
    return "forward", ""


def _sent_on(frame: bytes, found: _Found) -> bytes:
    """The frame with TTL or hop limit one less and a fresh IPv4 header checksum."""
    at = found.network
    sent = bytearray(frame)
    if found.destination is None:
        sent[at + 7] -= 1
        return bytes(sent)
    sent[at + 8] -= 1
    sent[at + 10 : at + 12] = b"\0\0"
    header = bytes(sent[at : at + (sent[at] & 15) * 4])
    sent[at + 10 : at + 12] = dpkt.in_cksum(header).to_bytes(2, "big")
    return bytes(sent)


PACKETS = PacketProcessing()
