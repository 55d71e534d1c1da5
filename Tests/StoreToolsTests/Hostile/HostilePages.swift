import CoreDataTestSupport

/// Changes of the structures of a database file: its header, pages of trees, cells, lists and maps.
struct HostilePages {
    var bytes: HostileBytes
    private let pageSize: Int
    private var pageCount: Int { max(1, bytes.bytes.count / pageSize) }

    init(_ main: [UInt8], _ random: SeededGenerator) {
        bytes = HostileBytes(main, random)
        let size = main.count > 17 ? Int(main[16]) << 8 | Int(main[17]) : 4096
        pageSize = size == 1 ? 65_536 : max(size, 512)
    }

    private mutating func number(_ range: Range<Int>) -> Int { bytes.number(range) }
    private mutating func pick<Element>(_ elements: [Element]) -> Element { bytes.pick(elements) }
    private func start(_ page: Int) -> Int { (page - 1) * pageSize }
    private func header(_ page: Int) -> Int { start(page) + (page == 1 ? 100 : 0) }
    private func byte(_ place: Int) -> Int { place < bytes.bytes.count && place >= 0 ? Int(bytes.bytes[place]) : 0 }
    private func short(_ place: Int) -> Int { byte(place) << 8 | byte(place + 1) }
    private mutating func long(_ value: Int, at place: Int) {
        bytes.write([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }, at: place)
    }
    private mutating func short(_ value: Int, at place: Int) {
        bytes.write([UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)], at: place)
    }
    private func pages(_ types: Set<Int>) -> [Int] { (1...pageCount).filter { types.contains(byte(header($0))) } }

    mutating func apply() {
        for _ in 0..<pick([1, 1, 2, 4]) {
            switch number(0..<12) {
            case 0: changeHeader()
            case 1, 2: changeCell()
            case 3: changePageHeader()
            case 4: bytes.write([UInt8(pick([0, 1, 2, 5, 10, 13, 255]))], at: header(number(1..<pageCount + 1)))
            case 5: freelist()
            case 6: pointerMap()
            case 7: multiplyingTree()
            case 8: overflowCycle()
            case 9: swapPages()
            case 10: deepTree()
            default: bytes.change(structure: pageSize)
            }
        }
    }

    private mutating func changeHeader() {
        let field = pick([
            (16, 2), (18, 1), (19, 1), (20, 1), (21, 1), (24, 4), (28, 4), (32, 4), (36, 4), (40, 4), (44, 4), (52, 4),
            (56, 4), (64, 4), (92, 4), (96, 4),
        ])
        bytes.writeNumber(field.1, at: field.0)
        if number(0..<2) == 0 { bytes.write(Array(bytes.bytes[24..<28]), at: 92) }
    }

    private mutating func changePageHeader() {
        let page = header(number(1..<pageCount + 1))
        let (offset, width) = pick([(1, 2), (3, 2), (5, 2), (7, 1), (8, 4)])
        bytes.writeNumber(width, at: page + offset)
    }

    private mutating func changeCell() {
        guard let page = pages([2, 5, 10, 13]).randomElement(using: &bytes.random) else { return }
        let start = header(page), isInterior = [2, 5].contains(byte(start))
        let count = short(start + 3)
        guard count > 0, count < pageSize / 4 else { return }
        let pointer = start + (isInterior ? 12 : 8) + 2 * number(0..<count)
        let cell = self.start(page) + short(pointer)
        switch number(0..<6) {
        case 0: short(pick([0, 1, 100, pageSize - 1, pageSize, 65_535, short(pointer) + 1]), at: pointer)
        case 1:
            // The size of the payload, a varint.
            bytes.write(
                pick([
                    [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0x87, 0xff, 0xff, 0xff, 0x7f], [0x00],
                    [0x83, 0xdc, 0xac, 0x80, 0x00], [0x81, 0x00],
                    [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
                ]), at: cell + (isInterior ? 4 : 0))
        case 2:
            // A serial type in the record's header.
            bytes.write(
                pick([
                    [0x0a], [0x0b], [0x09], [0x08], [0x0c], [0x0d], [0xff, 0xff, 0xff, 0xff, 0x7f],
                    [0x88, 0x80, 0x80, 0x80, 0x0c],
                    [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0x80, 0x80, 0x01],
                ]), at: cell + number(2..<12))
        case 3: bytes.writeNumber(pick([1, 2, 4, 8]), at: cell + number(0..<20))
        case 4:
            // The key.
            bytes.write(
                pick([
                    [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
                    [0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
                ]),
                at: cell + number(1..<3))
        default:
            if isInterior {
                long(number(0..<pageCount + 3), at: cell)
            } else {
                bytes.writeNumber(1, at: cell + number(0..<40))
            }
        }
    }

    private mutating func freelist() {
        let trunk = number(1..<pageCount + 1)
        long(trunk, at: 32)
        long(pick([0, 1, pageCount, 0x7fff_ffff, 0xffff_ffff]), at: 36)
        if trunk > 1, number(0..<2) == 0 {
            long(pick([trunk, 0, number(0..<pageCount + 2)]), at: start(trunk))
            long(pick([0, 1, pageSize, 0x7fff_ffff, 0xffff_ffff]), at: start(trunk) + 4)
        }
    }

    private mutating func pointerMap() {
        guard pageCount > 2 else { return }
        let entry = start(2) + 5 * number(0..<min(pageCount, pageSize / 5))
        bytes.write([UInt8(number(0..<7))], at: entry)
        long(pick([0, 1, 2, number(0..<pageCount + 2), 0xffff_ffff]), at: entry + 1)
    }

    /// Makes pages interior ones of which each refers to the next many times.
    private mutating func multiplyingTree() {
        let count = min(pageCount, number(2..<16))
        let first = number(1..<pageCount + 1), type = pick([5, 5, 2])
        for step in 0..<count {
            let page = (first + step - 1) % pageCount + 1
            guard page > 1 || number(0..<4) == 0 else { continue }
            let next = number(0..<5) == 0 ? page : page % pageCount + 1
            interior(page, type, Array(repeating: next, count: number(2..<120)))
        }
    }

    private mutating func interior(_ page: Int, _ type: Int, _ children: [Int]) {
        let start = header(page)
        let isIndex = type == 2
        let size = isIndex ? 12 : 5
        let count = min(children.count, (pageSize - (start - self.start(page)) - 12) / (size + 2))
        let content = pageSize - count * size
        bytes.write([UInt8(type), 0, 0, UInt8(count >> 8), UInt8(count & 255)], at: start)
        short(content, at: start + 5)
        bytes.write([0], at: start + 7)
        long(children.last ?? 1, at: start + 8)
        for index in 0..<count {
            let cell = content + index * size
            short(cell, at: start + 12 + 2 * index)
            long(children[index], at: self.start(page) + cell)
            bytes.write(
                isIndex ? [3, 3, 1, 1, UInt8(index & 127), 1, 0, 0] : [UInt8(index & 127)],
                at: self.start(page) + cell + 4)
        }
    }

    private mutating func overflowCycle() {
        let page = number(1..<pageCount + 1)
        let other = number(1..<pageCount + 1)
        guard page > 1 else { return }
        long(pick([page, other, 0xffff_ffff]), at: start(page))
        if other > 1, number(0..<2) == 0 { long(page, at: start(other)) }
        // A large value that continues there.
        guard let leaf = pages([13]).randomElement(using: &bytes.random) else { return }
        let pointer = header(leaf) + 8
        let size = pick([pageSize, pageCount * pageSize - 1, 100_000, 0x7fff_ff00])
        var varint: [UInt8] = []
        for shift in stride(from: 28, through: 0, by: -7) {
            varint.append(UInt8(size >> shift & 127) | (shift > 0 ? 0x80 : 0))
        }
        let cell = start(leaf) + short(pointer)
        bytes.write(varint + [1], at: cell)
        let local = (pageSize - 12) * 32 / 255 - 23 + (size - ((pageSize - 12) * 32 / 255 - 23)) % (pageSize - 4)
        let stored = local <= pageSize - 35 ? local : (pageSize - 12) * 32 / 255 - 23
        long(page, at: cell + varint.count + 1 + stored)
    }

    private mutating func swapPages() {
        let (a, b) = (number(1..<pageCount + 1), number(1..<pageCount + 1))
        guard a > 1 || number(0..<4) == 0, start(a) + pageSize <= bytes.bytes.count,
            start(b) + pageSize <= bytes.bytes.count
        else { return }
        let first = Array(bytes.bytes[start(a)..<start(a) + pageSize])
        let second = Array(bytes.bytes[start(b)..<start(b) + pageSize])
        bytes.write(second, at: start(a))
        if number(0..<2) == 0 { bytes.write(first, at: start(b)) }
    }

    /// Appends a chain of interior pages before the tree of a table.
    private mutating func deepTree() {
        guard let root = pages([13, 5]).randomElement(using: &bytes.random), root > 1,
            start(root) + pageSize <= bytes.bytes.count
        else { return }
        let depth = pick([5, 19, 21, 300])
        let old = Array(bytes.bytes[start(root)..<start(root) + pageSize])
        while bytes.bytes.count % pageSize != 0 { bytes.bytes.append(0) }
        let first = pageCount + 1
        for _ in 0..<depth { bytes.bytes += [UInt8](repeating: 0, count: pageSize) }
        bytes.bytes += old
        interior(root, 5, [first])
        for step in 0..<depth { interior(first + step, 5, [first + step + 1]) }
        long(pageCount, at: 28)
    }
}

/// Logs and journals whose checksums are right.
enum HostileLogs {
    private static func long(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Computes the checksums of a log again, so that its frames are accepted.
    static func sign(_ log: inout [UInt8]) {
        guard log.count >= 32 else { return }
        func word(_ place: Int) -> UInt32 { log[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        let isBig = log[3] & 1 == 1
        log.replaceSubrange(0..<4, with: [0x37, 0x7f, 0x06, isBig ? 0x83 : 0x82])
        let size = Int(word(8))
        func sum(_ range: Range<Int>, _ start: (UInt32, UInt32)) -> (UInt32, UInt32) {
            var (a, b) = start
            var place = range.lowerBound
            while place + 8 <= range.upperBound {
                var (x, y) = (word(place), word(place + 4))
                if !isBig { (x, y) = (x.byteSwapped, y.byteSwapped) }
                a = a &+ x &+ b
                b = b &+ y &+ a
                place += 8
            }
            return (a, b)
        }
        var sums = sum(0..<24, (0, 0))
        log.replaceSubrange(24..<32, with: long(sums.0) + long(sums.1))
        guard size >= 512, size <= 65_536 else { return }
        var place = 32
        while place + 24 + size <= log.count {
            log.replaceSubrange(place + 8..<place + 16, with: log[16..<24])
            sums = sum(place..<place + 8, sums)
            sums = sum(place + 24..<place + 24 + size, sums)
            log.replaceSubrange(place + 16..<place + 24, with: long(sums.0) + long(sums.1))
            place += 24 + size
        }
    }

    /// Returns a log that replaces pages.
    static func log(_ pages: [(number: UInt32, commit: UInt32, content: [UInt8])], pageSize: Int) -> [UInt8] {
        var log =
            long(0x377f_0682) + long(3_007_000) + long(UInt32(pageSize)) + long(0) + long(17) + long(23) + long(0)
            + long(0)
        for page in pages {
            log += long(page.number) + long(page.commit) + long(17) + long(23) + long(0) + long(0)
            log += page.content.prefix(pageSize) + [UInt8](repeating: 0, count: max(0, pageSize - page.content.count))
        }
        sign(&log)
        return log
    }

    /// Returns a rollback journal that restores pages.
    static func journal(
        _ pages: [(number: UInt32, content: [UInt8])], count: UInt32, pageCount: UInt32, pageSize: Int, sector: UInt32
    ) -> [UInt8] {
        var journal: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
        journal += long(count) + long(99) + long(pageCount) + long(sector) + long(UInt32(truncatingIfNeeded: pageSize))
        journal += [UInt8](repeating: 0, count: max(0, 512 - journal.count))
        for page in pages {
            let content =
                page.content.prefix(pageSize) + [UInt8](repeating: 0, count: max(0, pageSize - page.content.count))
            var sum: UInt32 = 99
            for place in stride(from: pageSize - 200, to: 0, by: -200) {
                sum = sum &+ UInt32(content[content.startIndex + place])
            }
            journal += long(page.number) + content + long(sum)
        }
        return journal
    }
}
