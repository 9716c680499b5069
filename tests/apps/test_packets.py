# SPDX-License-Identifier: Apache-2.0
"""Packet processing on the host: counters, ring and forwarded frames are what dpkt and zlib give."""

from __future__ import annotations

import ipaddress
import json
import random
import struct
import zlib
from pathlib import Path
from typing import Any

import dpkt  # type: ignore[import-untyped]
import pytest

from coreloom.apps import APPS, capture
from coreloom.apps.packets import decode
from coreloom.errors import UserError, WrongOutput

from .conftest import Build

APP = APPS["packets"]
EXIT_INPUT, EXIT_ROOM = 1, 2
ETHERNET = bytes.fromhex("020000000001 020000000002")


def ipv4(payload: bytes = b"", protocol: int = 17, **fields: Any) -> bytes:
    """A packet with a right checksum; ttl 64 unless told."""
    source, target = fields.pop("src", "172.16.0.1"), fields.pop("dst", "8.8.8.8")
    addresses = (ipaddress.ip_address(text).packed for text in (source, target))
    options = fields.pop("options", b"")
    packet = dpkt.ip.IP(**{"p": protocol, "ttl": 64, **fields})
    packet.src, packet.dst = addresses
    packet.opts, packet.hl = options, 5 + len(options) // 4
    packet.data = payload
    return bytes(packet)


def udp(port: int, data: bytes = b"data", length: int | None = None) -> bytes:
    return struct.pack(">HHHH", 40000, port, 8 + len(data) if length is None else length, 0) + data


def tcp(port: int, data: bytes = b"", offset: int = 5) -> bytes:
    return struct.pack(">HHIIBBHHH", 40000, port, 1, 2, offset << 4, 16, 0, 0, 0) + data


def ethernet(payload: bytes, kind: int = 0x0800, tags: bytes = b"") -> bytes:
    return ETHERNET + tags + kind.to_bytes(2, "big") + payload


def ipv6(payload: bytes, protocol: int, hops: int = 64, length: int | None = None) -> bytes:
    size = len(payload) if length is None else length
    return struct.pack(">IHBB", 6 << 28, size, protocol, hops) + bytes(range(32)) + payload


def records(frames: list[bytes], fcs: bool = True) -> list[capture.Record]:
    made = []
    for number, frame in enumerate(frames):
        data = frame + zlib.crc32(frame).to_bytes(4, "little") if fcs else frame
        made.append(capture.Record(1000 + number, number * 7, data, len(data)))
    return made


def run(host: Build, data: bytes, macros: str = "", **settings: int) -> dict[str, Any]:
    """Run and compare with the host's result; the named counters."""
    status, output, done = host("packets", macros).run(data, **settings)
    assert status == 0
    APP.check(output, data)
    summary = decode(output)[0]
    assert done == summary["frames"] == sum(summary["actions"].values())
    return summary


# (name, frame, action, reason): each rule of apps/packets/README.md and each damage, one by one.
ARP = struct.pack(">HHBBH", 1, 0x0800, 6, 4, 1) + bytes(20)
VLAN = b"\x81\x00\x00\x05"
CASES: list[tuple[str, bytes, str, str]] = [
    ("udp", ethernet(ipv4(udp(5000))), "forward", ""),
    ("tcp", ethernet(ipv4(tcp(443), 6)), "forward", ""),
    ("vlan", ethernet(ipv4(udp(5000)), tags=VLAN), "forward", ""),
    ("two vlans", ethernet(ipv4(udp(5000)), tags=VLAN * 2), "discard", "type"),
    ("options", ethernet(ipv4(tcp(80), 6, options=b"\x94\x04\0\0" * 10)), "forward", ""),
    ("padding", ethernet(ipv4(tcp(80), 6) + bytes(6)), "forward", ""),
    ("ospf", ethernet(ipv4(b"x", 89)), "forward", ""),
    ("arp", ethernet(ARP, 0x0806), "store", ""),
    ("arp cut", ethernet(ARP[:-1], 0x0806), "discard", "header"),
    ("arp of tokens", ethernet(b"\0\6" + ARP[2:], 0x0806), "discard", "header"),
    ("icmp", ethernet(ipv4(bytes(8), 1)), "store", ""),
    ("icmp cut", ethernet(ipv4(bytes(7), 1)), "discard", "transport"),
    ("blocked net", ethernet(ipv4(udp(5000), src="10.66.255.1")), "discard", "blocked"),
    ("next net", ethernet(ipv4(udp(5000), src="10.67.0.1")), "forward", ""),
    ("telnet", ethernet(ipv4(tcp(23), 6)), "discard", "blocked"),
    ("udp 23", ethernet(ipv4(udp(23))), "forward", ""),
    ("ssdp", ethernet(ipv4(udp(1900))), "discard", "blocked"),
    ("multicast", ethernet(ipv4(udp(5000), dst="224.0.0.1")), "discard", "not routed"),
    ("broadcast", ethernet(ipv4(udp(5000), dst="255.255.255.255")), "discard", "not routed"),
    ("last routed", ethernet(ipv4(udp(5000), dst="223.255.255.255")), "forward", ""),
    ("syslog", ethernet(ipv4(udp(514))), "store", ""),
    ("local", ethernet(ipv4(tcp(80), 6, dst="192.168.7.255")), "store", ""),
    ("not local", ethernet(ipv4(tcp(80), 6, dst="192.168.8.0")), "forward", ""),
    ("ttl 1", ethernet(ipv4(udp(5000), ttl=1)), "discard", "expired"),
    ("ttl 0", ethernet(ipv4(udp(5000), ttl=0)), "discard", "expired"),
    ("ttl 2", ethernet(ipv4(udp(5000), ttl=2)), "forward", ""),
    ("local ttl 1", ethernet(ipv4(udp(5000), ttl=1, dst="192.168.7.1")), "store", ""),
    ("first fragment", ethernet(ipv4(udp(5000, length=3000), mf=1)), "forward", ""),
    ("first fragment of telnet", ethernet(ipv4(tcp(23), 6, mf=1)), "discard", "blocked"),
    ("later fragment", ethernet(ipv4(tcp(23)[:4], 6, offset=9)), "forward", ""),
    ("type", ethernet(bytes(46), 0x88CC), "discard", "type"),
    ("802.3 length", ethernet(bytes(46), 46), "discard", "type"),
    ("empty", b"", "discard", "short"),
    ("13 bytes", ethernet(b"")[:13], "discard", "short"),
    ("14 bytes", ethernet(b""), "discard", "header"),
    ("17 bytes with tag", ethernet(b"", tags=VLAN)[:17], "discard", "short"),
    ("19 bytes of IPv4", ethernet(ipv4()[:19]), "discard", "header"),
    ("version 5", ethernet(b"\x55" + ipv4(udp(1))[1:]), "discard", "header"),
    ("header length 4", ethernet(b"\x44" + ipv4(udp(1))[1:]), "discard", "header"),
    ("header beyond frame", ethernet(b"\x4f" + ipv4(udp(1))[1:]), "discard", "header"),
    ("total length beyond frame", ethernet(ipv4(udp(1))[:-1]), "discard", "length"),
    ("total length below header", ethernet(b"\x45\0\0\x13" + ipv4()[4:]), "discard", "length"),
    ("checksum", ethernet(ipv4(udp(1))[:10] + b"\0\0" + ipv4(udp(1))[12:]), "discard", "checksum"),
    ("udp cut", ethernet(ipv4(udp(1)[:7])), "discard", "transport"),
    ("udp length 7", ethernet(ipv4(udp(1, length=7))), "discard", "transport"),
    ("udp length beyond", ethernet(ipv4(udp(1, length=13))), "discard", "transport"),
    ("tcp cut", ethernet(ipv4(tcp(80)[:19], 6)), "discard", "transport"),
    ("tcp offset 4", ethernet(ipv4(tcp(80, offset=4), 6)), "discard", "transport"),
    ("tcp offset beyond", ethernet(ipv4(tcp(80, offset=6), 6)), "discard", "transport"),
    ("ipv6 udp", ethernet(ipv6(udp(5000), 17), 0x86DD), "forward", ""),
    ("ipv6 telnet", ethernet(ipv6(tcp(23), 6), 0x86DD), "discard", "blocked"),
    ("ipv6 tcp vlan", ethernet(ipv6(tcp(80), 6), 0x86DD, VLAN), "forward", ""),
    ("ipv6 syslog", ethernet(ipv6(udp(514), 17), 0x86DD), "store", ""),
    ("icmpv6", ethernet(ipv6(bytes(8), 58), 0x86DD), "store", ""),
    ("ipv6 no next header", ethernet(ipv6(b"", 59), 0x86DD), "forward", ""),
    ("ipv6 hop limit", ethernet(ipv6(udp(1), 17, hops=1), 0x86DD), "discard", "expired"),
    ("ipv6 short", ethernet(ipv6(b"", 59)[:-1], 0x86DD), "discard", "header"),
    ("ipv6 version", ethernet(ipv4(bytes(40)), 0x86DD), "discard", "header"),
    ("ipv6 length", ethernet(ipv6(b"12", 59, length=3), 0x86DD), "discard", "length"),
    ("ipv6 tcp cut", ethernet(ipv6(tcp(80)[:10], 6), 0x86DD), "discard", "transport"),
    ("1500 bytes", ethernet(ipv4(udp(5000, bytes(range(256)) * 5 + bytes(192)))), "forward", ""),
    ("9000 bytes", ethernet(ipv4(udp(5000, b"jumbo..." * 1120))), "forward", ""),
]


@pytest.mark.parametrize("fcs", [True, False], ids=["fcs", "no fcs"])
def test_each_rule(host: Build, fcs: bool) -> None:
    link = capture.LINK_ETHERNET_FCS if fcs else capture.LINK_ETHERNET
    for name, frame, action, reason in CASES:
        summary = run(host, capture.write(records([frame], fcs), link))
        assert summary["actions"][action] == 1, name
        assert {why for why, count in summary["discarded"].items() if count} == {reason} - {""}, name


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("nanoseconds", [False, True])
@pytest.mark.parametrize("fcs", [False, True])
def test_file_formats(host: Build, order: str, nanoseconds: bool, fcs: bool, tmp_path: Path) -> None:
    """All frames at all alignments, in all kinds of files; the forwarded capture can be read again."""
    frames = [case[1] for case in CASES]
    frames = [ethernet(ipv4(b"x" * pad, 89)) for pad in range(5)] + frames + frames[::-1]
    link = capture.LINK_ETHERNET_FCS if fcs else capture.LINK_ETHERNET
    made = records(frames, fcs)
    data = capture.write(made, link, order, nanoseconds)
    summary = run(host, data)
    APP.save(APP.expected(data), tmp_path / "result.json")
    assert json.loads((tmp_path / "result.json").read_text()) == summary
    file, sent = capture.read((tmp_path / "result.forwarded.pcap").read_bytes())
    assert (file.nanoseconds, file.fcs_bytes) == (nanoseconds, 4 * fcs)
    kept = list(sent)
    assert len(kept) == summary["actions"]["forward"]
    times = {(record.seconds, record.fraction) for record in made}
    for record in kept:
        assert (record.seconds, record.fraction) in times
        frame = record.data[:-4] if fcs else record.data
        assert not fcs or zlib.crc32(frame).to_bytes(4, "little") == record.data[-4:]
        at = 18 if frame[12:14] == b"\x81\x00" else 14
        if frame[at - 2 : at] == b"\x08\x00":
            assert dpkt.in_cksum(frame[at : at + (frame[at] & 15) * 4]) == 0


def test_damage_order(host: Build) -> None:
    """Cut goes before short, short before FCS, FCS before what the headers say."""
    good = records([ethernet(ipv4(udp(5000)))])[0]
    broken = good.data[:-1] + bytes([good.data[-1] ^ 1])
    unknown = ethernet(bytes(46), 0x88CC)
    cases = [
        (capture.Record(1, 1, good.data[:-1], len(good.data)), "cut"),
        (capture.Record(1, 1, b"", 60), "cut"),
        (capture.Record(1, 1, b"", 0), "short"),
        (capture.Record(1, 1, b"abc", 3), "short"),
        (capture.Record(1, 1, bytes(17), 17), "short"),
        (capture.Record(1, 1, broken, len(broken)), "fcs"),
        (capture.Record(1, 1, unknown + bytes(4), len(unknown) + 4), "fcs"),
    ]
    for record, reason in cases:
        assert run(host, capture.write([record]))["discarded"][reason] == 1


def test_every_bit(host: Build) -> None:
    """No single bit error passes the FCS."""
    (good,) = records([ethernet(ipv4(tcp(80), 6))])
    flipped = []
    for bit in range(8 * len(good.data)):
        data = bytearray(good.data)
        data[bit // 8] ^= 1 << bit % 8
        flipped.append(capture.Record(1, 1, bytes(data), len(data)))
    assert run(host, capture.write(flipped))["discarded"]["fcs"] == len(flipped)


@pytest.mark.parametrize("placement", [0, 1])
@pytest.mark.parametrize("depth", [2, 8])
@pytest.mark.parametrize("ports", ["BUFFERED", "DIRECT"])
@pytest.mark.nightly(but=("BUFFERED-2-0", "DIRECT-8-1"))
def test_default_capture(host: Build, placement: int, depth: int, ports: str) -> None:
    data = APP.prepare(None)
    assert data == capture.make()
    macros = f"-DCL_PLACEMENT={placement} -DPACKETS_PORTS=PORT_{ports}"
    summary = run(host, data, macros, CL_PORT_DEPTH=depth)
    assert summary["frames"] == capture.FRAMES
    assert all(summary["actions"].values())
    assert all(summary["kinds"].values())
    assert all(summary["discarded"].values())
    whole = sum(summary["kinds"].values())
    assert 0.88 < whole / summary["frames"] < 0.92


@pytest.mark.parametrize("seed", range(6))
def test_random_captures(host: Build, seed: int) -> None:
    """Damage anywhere and any lengths, in files without FCS: nothing but the parser decides."""
    draw = random.Random(seed)
    _, source = capture.read(capture.make(300, seed))
    made = []
    for record in source:
        data = bytearray(record.data)
        for _ in range(draw.choice((0, 1, 3))):
            if data:
                data[draw.randrange(min(len(data), 60))] = draw.randrange(256)
        kept = bytes(data[: draw.choice((len(data), draw.randrange(len(data) + 1)))])
        made.append(capture.Record(1, 1, kept, len(kept)))
    run(host, capture.write(made, capture.LINK_ETHERNET, draw.choice("<>")))


def test_ring_goes_round(host: Build) -> None:
    """More stored than the ring holds, and frames that cross its end."""
    draw = random.Random(3)
    frames = [ethernet(ipv4(udp(514, draw.randbytes(draw.randrange(1, 1400))))) for _ in range(400)]
    for count in (150, 190, 400):
        assert run(host, capture.write(records(frames[:count])))["actions"]["store"] == count
    run(host, capture.write(records([ethernet(ipv4(udp(514, bytes(65000))))] * 5)))


def test_wrong_input_on_the_target(host: Build) -> None:
    whole = capture.write(records([case[1] for case in CASES[:5]]))
    other_link = whole[:20] + b"\x69" + whole[21:]
    long_fcs = whole[:23] + b"\x34" + whole[24:]
    for data in (b"", whole[:23], b"\0" + whole[1:], other_link, long_fcs):
        assert host("packets").run(data) == (EXIT_INPUT, b"", 0)
    status, output, done = host("packets").run(whole[:-1])
    assert (status, done) == (EXIT_INPUT, 4)
    assert decode(output)[0]["frames"] == 4
    assert host("packets").run(whole, CL_OUTPUT_CAPACITY=1000)[0] == EXIT_ROOM


def test_no_frames_on_the_target(host: Build) -> None:
    assert run(host, capture.write([]))["frames"] == 0


def test_check_says_what() -> None:
    data = capture.write(records([case[1] for case in CASES]))
    right = APP.expected(data)
    for at, said in (
        (0, "counter 'frames' is"),
        (4 * 16, "counter 'discarded cut' is"),
        (4 * 34 + 5, "byte 5 of the stored frames is"),
        (len(right) - 1, "of the forwarded frames is"),
    ):
        output = bytearray(right)
        output[at] ^= 1
        with pytest.raises(WrongOutput, match=said):
            APP.check(bytes(output), data)
    for wrong in (b"", right[:-4]):
        with pytest.raises(WrongOutput, match="the output has"):
            APP.check(wrong, data)


def test_bad_files(tmp_path: Path) -> None:
    whole = capture.write(records([case[1] for case in CASES[:3]]))
    first = 24 + 16 + len(CASES[0][1]) + 4
    huge = whole[: first + 8] + (70000).to_bytes(4, "little") + whole[first + 12 :]
    for name, data, said in (
        ("text", b"no capture", "is not a pcap file"),
        ("empty", b"", "is not a pcap file"),
        ("ng", b"\x0a\x0d\x0d\x0a" + bytes(100), r"is a pcapng file: convert it with `editcap -F pcap ng"),
        ("header", whole[:20], "is cut off at byte 20 in the file header"),
        (
            "record",
            whole[: first + 9],
            f"is cut off at byte {first}: a record header has 16",
        ),
        ("frame", whole[: first + 20], f"is cut off at byte {first}: a frame has 58 bytes, 4 are left"),
        ("huge", huge, f"has a frame of 70000 bytes at byte {first}"),
        ("link", capture.write([], 105), r"has link type 105: give a capture of Ethernet"),
        ("fcs", capture.write([], 0x1400_0001), "says its frames have 2 bytes of FCS"),
        ("none", capture.write([]), "has no frames"),
        ("long", whole + bytes(14 << 20), f"at most {(14 << 20) - 4}"),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(UserError, match=said) as caught:
            APP.prepare(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
    with pytest.raises(UserError, match="no such file, check the path"):
        APP.prepare(tmp_path / "absent")


def test_good_file(tmp_path: Path) -> None:
    whole = capture.write(records([case[1] for case in CASES]))
    (tmp_path / "a.pcap").write_bytes(whole)
    assert APP.prepare(tmp_path / "a.pcap") == whole
