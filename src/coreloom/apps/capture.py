# SPDX-License-Identifier: Apache-2.0
"""Capture files: checking the user's, and making the default one."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dpkt  # type: ignore[import-untyped]

from coreloom.design.address_map import INPUT_ROOM
from coreloom.errors import UserError

FRAME_MAX = 65535
LINK_ETHERNET = 1
LINK_ETHERNET_FCS = 0x2400_0001  # Ethernet, frames end with an FCS of two 16-bit words
_HEADER_BYTES, _RECORD_BYTES = 24, 16
_MAGIC = {  # first four bytes: (byte order, nanoseconds)
    b"\xd4\xc3\xb2\xa1": ("<", False),
    b"\xa1\xb2\xc3\xd4": (">", False),
    b"\x4d\x3c\xb2\xa1": ("<", True),
    b"\xa1\xb2\x3c\x4d": (">", True),
}


@dataclass(frozen=True)
class Record:
    """One frame of a capture."""

    seconds: int
    fraction: int
    data: bytes
    original: int  # bytes of the frame on the wire


@dataclass(frozen=True)
class Capture:
    """A capture file's facts about its frames."""

    order: str  # of struct: "<" or ">"
    nanoseconds: bool
    link: int  # the whole link type word

    @property
    def fcs_bytes(self) -> int:
        """Bytes of FCS at the end of each frame: bits 31:28 in 16-bit words if bit 26 is set."""
        return (self.link >> 28) * 2 if self.link >> 26 & 1 else 0


def read(data: bytes) -> tuple[Capture, Iterator[Record]]:
    """A checked capture and its frames."""
    order, nanoseconds = _MAGIC[data[:4]]
    (link,) = struct.unpack_from(order + "I", data, 20)
    header = dpkt.pcap.LEPktHdr if order == "<" else dpkt.pcap.PktHdr

    def records() -> Iterator[Record]:
        at = _HEADER_BYTES
        while at < len(data):
            found = header(data[at : at + _RECORD_BYTES])
            at += _RECORD_BYTES
            yield Record(found.tv_sec, found.tv_usec, data[at : at + found.caplen], found.len)
            at += found.caplen

    return Capture(order, nanoseconds, link), records()


def check(data: bytes, path: Path) -> None:
    """Raise a UserError unless `data` is a capture that apps/packets can use."""
    if data[:4] == b"\x0a\x0d\x0d\x0a":
        raise UserError(f"{path} is a pcapng file: convert it with `editcap -F pcap {path.name} new.pcap`")
    if data[:4] not in _MAGIC:
        raise UserError(f"{path} is not a pcap file: give a classic libpcap capture")
    if len(data) < _HEADER_BYTES:
        raise UserError(f"{path} is cut off at byte {len(data)} in the file header: capture again")
    order, _ = _MAGIC[data[:4]]
    (link,) = struct.unpack_from(order + "I", data, 20)
    if link & 0xFFFF != LINK_ETHERNET:
        raise UserError(f"{path} has link type {link & 0xFFFF}: give a capture of Ethernet (link type 1)")
    fcs_bytes = Capture(order, False, link).fcs_bytes
    if fcs_bytes not in (0, 4):
        raise UserError(f"{path} says its frames have {fcs_bytes} bytes of FCS: Ethernet has 4 or none")
    if len(data) > INPUT_ROOM:
        raise UserError(
            f"{path} has {len(data)} bytes, at most {INPUT_ROOM} fit: shorten it with `editcap -r`"
        )
    at = _HEADER_BYTES
    while at < len(data):
        left = len(data) - at
        if left < _RECORD_BYTES:
            raise UserError(f"{path} is cut off at byte {at}: a record header has 16 bytes, {left} are left")
        (captured,) = struct.unpack_from(order + "I", data, at + 8)
        if captured > FRAME_MAX:
            raise UserError(f"{path} has a frame of {captured} bytes at byte {at}: the file is damaged")
        left -= _RECORD_BYTES
        if left < captured:
            raise UserError(f"{path} is cut off at byte {at}: a frame has {captured} bytes, {left} are left")
        at += _RECORD_BYTES + captured
    if at == _HEADER_BYTES:
        raise UserError(f"{path} has no frames: give a capture with at least one")


def write(
    records: list[Record], link: int = LINK_ETHERNET_FCS, order: str = "<", nanoseconds: bool = False
) -> bytes:
    """A pcap file."""
    magic = 0xA1B2_3C4D if nanoseconds else 0xA1B2_C3D4
    parts = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 0x40000, link)]
    for record in records:
        parts.append(
            struct.pack(order + "IIII", record.seconds, record.fraction, len(record.data), record.original)
        )
        parts.append(record.data)
    return b"".join(parts)


# --- the default capture ---------------------------------------------------------------------

FRAMES = 4000

# The traffic of a wireless access point, by frames: mostly small ones.
_MIX = {
    "ack": 38,  # TCP acknowledgements: 64 bytes
    "voice": 22,  # RTP, 20 bytes of G.729: 78 bytes
    "dns": 12,  # queries and answers
    "arp": 4,
    "ping": 3,
    "syslog": 2,
    "data576": 8,
    "data1500": 4,
    "ipv6": 4,
    "fragment": 1,  # of UDP, 576 bytes
    "other": 2,  # OSPF, GRE, IGMP
}

# Damage, by frames; the rest (90 %) is whole.
_DAMAGE = {
    "none": 900,
    "fcs": 40,  # one bit of the frame flipped
    "checksum": 18,  # of the IPv4 header
    "length": 10,  # IPv4 total length beyond the frame
    "type": 10,  # EtherType of nothing we know
    "cut": 8,  # the capture has only the first 40 bytes
    "header": 6,  # IP version or IPv4 header length below 5
    "transport": 5,  # transport header cut off
    "short": 3,  # not even an Ethernet header
}


def make(frames: int = FRAMES, seed: int = 2006) -> bytes:
    """The default capture: the same bytes every time. 4000 frames, 10 % damaged, with FCS."""
    draw = random.Random(seed)
    sorts = draw.choices(list(_MIX), list(_MIX.values()), k=frames)
    harms = draw.choices(list(_DAMAGE), list(_DAMAGE.values()), k=frames)
    time = 1_161_000_000_000_000  # microseconds
    records = []
    for sort, harm in zip(sorts, harms, strict=True):
        time += draw.randrange(20, 900)
        frame = _with_fcs(_damage(draw, _frame(draw, sort), harm))
        whole = len(frame)
        if harm == "fcs":
            bit = draw.randrange(8 * whole)
            frame = _flip(frame, bit)
        elif harm == "cut":
            frame = frame[:40]
        records.append(Record(time // 1_000_000, time % 1_000_000, frame, whole))
    return write(records)


def _with_fcs(frame: bytes) -> bytes:
    return frame + zlib.crc32(frame).to_bytes(4, "little")


def _flip(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def _frame(draw: random.Random, sort: str) -> bytes:
    """One whole frame without FCS, padded to Ethernet's 60 bytes."""
    station = bytes([0x02, 0x16, 0x3E, 0, 0, draw.randrange(1, 40)])
    router = bytes([0x02, 0x16, 0x3E, 0xFF, 0, 1])
    up = draw.random() < 0.5
    source, target = (station, router) if up else (router, station)
    if sort == "arp":
        kind, payload = dpkt.ethernet.ETH_TYPE_ARP, _arp(draw, station)
        target = b"\xff" * 6
    elif sort == "ipv6":
        kind, payload = dpkt.ethernet.ETH_TYPE_IP6, _ipv6(draw)
    else:
        kind, payload = dpkt.ethernet.ETH_TYPE_IP, _ipv4(draw, sort)
    tag = b""
    if draw.random() < 0.1:  # the voice network's VLAN
        tag = struct.pack(">HH", dpkt.ethernet.ETH_TYPE_8021Q, 5 << 13 | 20)
    frame = target + source + tag + struct.pack(">H", kind) + payload
    return frame.ljust(60, b"\0")


def _arp(draw: random.Random, station: bytes) -> bytes:
    request = dpkt.arp.ARP(
        sha=station, spa=bytes([192, 168, 7, draw.randrange(2, 40)]), tpa=bytes([192, 168, 7, 1])
    )
    return bytes(request)


def _address(draw: random.Random) -> bytes:
    """An IPv4 address: a network of each rule now and then, else somewhere."""
    network = draw.choices(((192, 168, 7), (239, 255, 255), (172, 16, 4), None), (8, 2, 30, 60))[0]
    if network is None:
        network = (draw.randrange(11, 170), draw.randrange(256), draw.randrange(256))
    return bytes([*network, draw.randrange(1, 255)])


def _ipv4(draw: random.Random, sort: str) -> bytes:
    protocol, payload = _transport(draw, sort)
    network = (10, 66, 4) if draw.random() < 0.03 else (172, 16, 4)
    packet = dpkt.ip.IP(
        src=bytes([*network, draw.randrange(2, 60)]),
        dst=_address(draw),
        id=draw.randrange(65536),
        ttl=1 if draw.random() < 0.01 else draw.choice((64, 64, 63, 128, 127, 255, 54, 113)),
        p=protocol,
        tos=46 << 2 if sort == "voice" else 0,
    )
    if sort == "fragment":
        packet.mf, packet.offset = draw.choice(((1, 0), (1, 70), (0, 140)))  # first, middle, last
    elif sort == "ack":
        packet.df = 1
    if sort == "ping" and draw.random() < 0.3:
        packet.opts = b"\x94\x04\x00\x00"  # router alert
        packet.hl = 6
    packet.data = payload
    packet.len = packet.hl * 4 + len(payload)
    return bytes(packet)


def _transport(draw: random.Random, sort: str) -> tuple[int, bytes]:
    """(IPv4 protocol number, transport header and data)."""
    high = draw.randrange(32768, 61000)
    if sort in ("ack", "data576", "data1500"):
        size = {"ack": 0, "data576": 576 - 40, "data1500": 1500 - 40}[sort]
        port = draw.choice((80, 443, 443, 443, 8080, 22, 23, 993))
        ports = (high, port) if draw.random() < 0.6 else (port, high)
        segment = dpkt.tcp.TCP(
            sport=ports[0],
            dport=ports[1],
            seq=draw.randrange(1 << 32),
            ack=draw.randrange(1 << 32),
            flags=dpkt.tcp.TH_ACK,
        )
        if sort == "ack" and draw.random() < 0.5:
            segment.opts = b"\x01\x01\x08\x0a" + draw.randbytes(8)  # time stamps
            segment.off = 8
        return dpkt.ip.IP_PROTO_TCP, bytes(segment) + draw.randbytes(size)
    if sort == "ping":
        echo = dpkt.icmp.ICMP.Echo(id=draw.randrange(65536), seq=draw.randrange(65536), data=bytes(range(56)))
        return dpkt.ip.IP_PROTO_ICMP, bytes(dpkt.icmp.ICMP(type=8, data=echo))
    if sort == "other":
        return draw.choice((89, 47, 2)), draw.randbytes(draw.randrange(8, 64))
    sizes = {"voice": 32, "dns": draw.choice((31, 36, 42, 90, 160)), "syslog": 90, "fragment": 540}
    port = {"voice": 16384, "dns": draw.choice((53, 53, 53, 1900)), "syslog": 514, "fragment": 2049}[sort]
    datagram = dpkt.udp.UDP(sport=high, dport=port, data=draw.randbytes(sizes[sort]))
    datagram.ulen = 8 + sizes[sort]
    return dpkt.ip.IP_PROTO_UDP, bytes(datagram)


def _ipv6(draw: random.Random) -> bytes:
    protocol, payload = _transport(draw, draw.choice(("ack", "dns", "data576", "other")))
    if protocol not in (dpkt.ip.IP_PROTO_TCP, dpkt.ip.IP_PROTO_UDP):
        protocol = draw.choice((dpkt.ip.IP_PROTO_ICMP6, dpkt.ip.IP_PROTO_NONE))
    network = bytes.fromhex("20010db8") + bytes(10)
    source, target = network + draw.randbytes(2), network + draw.randbytes(2)
    packet = dpkt.ip6.IP6(src=source, dst=target, nxt=protocol, plen=len(payload), hlim=64)
    return bytes(packet)[:40] + payload


def _damage(draw: random.Random, frame: bytes, harm: str) -> bytes:
    """Damage that the sender has done: the FCS will fit it."""
    changed = bytearray(frame)
    at = 18 if frame[12:14] == b"\x81\x00" else 14
    is_ipv4 = frame[at - 2 : at] == b"\x08\x00"
    if harm == "type":
        changed[at - 2 : at] = draw.choice((0x88CC, 0x8863, 0x0027, 0x9000)).to_bytes(2, "big")
    elif harm == "short":
        return frame[: draw.randrange(14)]
    elif harm == "checksum" and is_ipv4:
        changed[at + 10] ^= 1 << draw.randrange(8)
    elif harm == "header":
        changed[at] = draw.choice((0x43, 0x55, 0x14))
    elif harm == "length" and is_ipv4:
        changed[at + 2 : at + 4] = (len(frame) - at + draw.randrange(1, 400)).to_bytes(2, "big")
    elif harm == "transport" and is_ipv4:
        header = (changed[at] & 15) * 4
        changed[at + 2 : at + 4] = (header + draw.randrange(8)).to_bytes(2, "big")
        changed[at + 10 : at + 12] = b"\0\0"
        changed[at + 10 : at + 12] = dpkt.in_cksum(bytes(changed[at : at + header])).to_bytes(2, "big")
    return bytes(changed)
