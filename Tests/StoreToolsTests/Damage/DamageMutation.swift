import CoreDataTestSupport
import Foundation

/// Random changes of a store's files, of every size: bits, numbers of the format, runs, pages, values by SQL.
struct DamageMutation {
    private let store: DamageStore
    private var random: SeededGenerator

    init(_ store: DamageStore, seed: UInt64) {
        self.store = store
        random = SeededGenerator(seed: seed)
    }

    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    /// Returns the files, with one to six changes.
    mutating func files() throws -> DamageFiles {
        var files = store.files
        if number(0..<8) == 0, let kind = DamageKind.all.randomElement(using: &random),
            let damaged = try? kind.damaged(store, seed: random.next())
        {
            files = damaged
        }
        for _ in 0..<[1, 1, 1, 2, 3, 6][number(0..<6)] {
            // Mostly the database; now and then its log, if it has one.
            let name =
                files.log?.isEmpty == false && (number(0..<3) > 0 || files.main.count < 5000)
                ? DamageFiles.name + "-wal" : DamageFiles.name
            var bytes = files.files[name] ?? []
            files.files[name] = nil
            if !bytes.isEmpty { change(&bytes) }
            files.files[name] = bytes
        }
        return files
    }

    private static let numbers: [UInt64] = [
        0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, .max, .max >> 1,
    ]

    private mutating func change(_ bytes: inout [UInt8]) {
        let size = max(store.pages.pageSize, 512)
        // Half of the places are where structure is: the file's header, headers of pages, cells' beginnings.
        var place = number(0..<bytes.count)
        switch number(0..<6) {
        case 0: place = number(0..<min(100, bytes.count))
        case 1, 2: place = min(bytes.count - 1, place / size * size + number(0..<24))
        default: break
        }
        func write(_ new: [UInt8]) {
            let end = min(bytes.count, place + new.count)
            bytes.replaceSubrange(place..<end, with: new.prefix(end - place))
        }
        switch number(0..<11) {
        case 0, 1: bytes[place] ^= 1 << UInt8(number(0..<8))
        case 2: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 3, 4:
            let number = Self.numbers[number(0..<Self.numbers.count)]
            write(withUnsafeBytes(of: number.bigEndian) { Array($0.suffix([1, 2, 4, 8][self.number(0..<4)])) })
        case 5: write((0..<number(1..<600)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        case 6: write(Array(repeating: [0, 0xff, 0x80][number(0..<3)], count: number(1..<2000)))
        case 7:
            let source = number(0..<bytes.count)
            write(Array(bytes[source..<min(bytes.count, source + number(1..<size))]))
        case 8 where bytes.count > size * 2:
            let (from, to) = (number(0..<bytes.count / size) * size, number(0..<bytes.count / size) * size)
            place = to
            write(Array(bytes[from..<min(from + size, bytes.count)]))
        case 9: if number(0..<4) == 0 { bytes.removeLast(number(0..<bytes.count)) }
        default:
            // A number of a page where a child, a chain or a trunk has one.
            let page = UInt32(number(0..<bytes.count / size + 3))
            place = place / 4 * 4
            write(withUnsafeBytes(of: page.bigEndian) { Array($0) })
        }
    }
}
