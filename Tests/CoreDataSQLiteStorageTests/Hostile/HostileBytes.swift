import Foundation

/// Damage done to the bytes of a store's files.
enum HostileBytes {
    /// Changes the main file's content and says how.
    static func damage(_ file: inout [UInt8], _ random: inout HostileRandom) -> String {
        let size = 4096, pages = max(file.count / size, 1)
        let (page, other) = (random.below(pages), random.below(pages))
        switch random.below(10) {
        case 0, 1:
            let count = random.pick([1, 4, 40, 400])
            for _ in 0..<count { file[random.below(file.count)] ^= 1 << UInt8(random.below(8)) }
            return "\(count) bits"
        case 2:
            // The head of a page: kind, cells, pointers to them.
            for _ in 0..<random.pick([1, 3]) {
                file[page * size + random.below(40)] = random.pick([0, 1, 2, 5, 10, 13, 0x7F, 0xFF])
            }
            return "head of page \(page + 1)"
        case 3:
            file.replaceSubrange(
                page * size..<page * size + size, with: repeatElement(random.pick([0, 0xFF]), count: size))
            return "page \(page + 1) filled"
        case 4:
            let copy = file[other * size..<other * size + size]
            let old = file[page * size..<page * size + size]
            file.replaceSubrange(page * size..<page * size + size, with: copy)
            if random.oneIn(2) { file.replaceSubrange(other * size..<other * size + size, with: Array(old)) }
            return "pages \(page + 1) and \(other + 1)"
        case 5:
            let count = random.oneIn(2) ? page * size : random.below(file.count)
            file.removeSubrange(count...)
            return "cut to \(count)"
        case 6:
            let (high, low) = random.pick(
                [(2, 0), (0x20, 0), (0, 1), (0, 0), (0xFF, 0xFF), (8, 0), (0x10, 1)] as [(UInt8, UInt8)])
            (file[16], file[17]) = (high, low)
            return "page size \(high) \(low)"
        case 7:
            let place = 18 + random.below(82)
            file[place] = random.pick([0, 1, 2, 3, 4, 0x7F, 0x80, 0xFF])
            return "header byte \(place)"
        case 8:
            file += (0..<random.pick([1, 4096, 10000])).map { _ in UInt8(random.below(256)) }
            return "longer"
        default:
            // Inside cells: lengths, serial types.
            for _ in 0..<8 { file[page * size + random.below(size)] = random.pick([0, 0x7F, 0x80, 0xFF, 0x81]) }
            return "cells of page \(page + 1)"
        }
    }

    /// Changes a log, or makes one up.
    static func damageLog(_ log: inout [UInt8], _ random: inout HostileRandom) -> String {
        switch random.below(4) {
        case 0 where !log.isEmpty:
            let count = random.below(log.count)
            log.removeSubrange(count...)
            return "log cut to \(count)"
        case 1 where !log.isEmpty:
            let place = random.below(64)
            if place < log.count { log[place] ^= 0xFF }
            return "log byte \(place)"
        case 2 where !log.isEmpty:
            for _ in 0..<20 { log[random.below(log.count)] ^= 1 << UInt8(random.below(8)) }
            return "20 bits of the log"
        default:
            log = (0..<random.pick([10, 32, 40_000])).map { _ in UInt8(random.below(256)) }
            return "log of \(log.count) random bytes"
        }
    }
}
