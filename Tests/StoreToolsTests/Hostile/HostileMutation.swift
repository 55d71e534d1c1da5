import CoreDataTestSupport
import Foundation

/// The files of a store after changes that follow from a seed.
struct HostileMutation {
    private(set) var files: [String: [UInt8]]
    /// The size that the database file is extended to, without content.
    private(set) var sparseSize: Int64?
    private var random: SeededGenerator
    private let name = HostileShape.fileName

    init(_ shape: HostileShape, seed: UInt64) throws {
        files = shape.files
        random = SeededGenerator(seed: seed)
        for _ in 0..<[1, 1, 1, 2][number(0..<4)] { try change() }
    }

    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0..<elements.count)] }

    private var main: [UInt8] {
        get { files[name] ?? [] }
        set { files[name] = newValue }
    }
    private var pageSize: Int {
        let size = main.count > 17 ? Int(main[16]) << 8 | Int(main[17]) : 4096
        return size == 1 ? 65_536 : [512, 1024, 2048, 4096, 8192, 16_384, 32_768].contains(size) ? size : 4096
    }

    private mutating func change() throws {
        switch number(0..<20) {
        case 0, 1: changeBytes(name)
        case 2...7: changePages()
        case 8...12: try changeBySQL()
        case 13, 14: changeLog()
        case 15: makeLog()
        case 16: makeJournal()
        case 17: changeSize()
        case 18: changeIndexOfLog()
        default: changeOthers()
        }
    }

    private mutating func changeBytes(_ file: String) {
        var bytes = HostileBytes(files[file] ?? [], random)
        for _ in 0..<bytes.pick([1, 1, 3, 20]) { bytes.change(structure: pageSize) }
        random = bytes.random
        files[file] = bytes.bytes
    }

    private mutating func changePages() {
        guard main.count > 1000 else { return }
        var pages = HostilePages(main, random)
        pages.apply()
        random = pages.bytes.random
        main = pages.bytes.bytes
    }

    private mutating func changeBySQL() throws {
        let folder = try TemporaryFolder()
        let url = folder.file(name)
        for suffix in ["", "-wal"] {
            if let content = files[name + suffix] { try Data(content).write(to: folder.file(name + suffix)) }
        }
        var schemas = HostileSchemas(url, random)
        // A changed file may not be writable any more.
        try? schemas.apply()
        random = SeededGenerator(seed: random.next())
        for suffix in ["", "-wal"] {
            files[name + suffix] = try? [UInt8](Data(contentsOf: folder.file(name + suffix)))
        }
    }

    private mutating func changeLog() {
        guard let log = files[name + "-wal"], log.count > 40 else { return makeLog() }
        var bytes = HostileBytes(log, random)
        let size = pageSize + 24
        switch bytes.number(0..<3) {
        case 0: for _ in 0..<3 { bytes.change(structure: 0) }
        case 1: bytes.writeNumber(4, at: 32 + bytes.number(0..<max(1, log.count / size)) * size + bytes.pick([0, 4]))
        default: bytes.writeNumber(4, at: bytes.pick([0, 4, 8, 12, 16]))
        }
        random = bytes.random
        var changed = bytes.bytes
        if number(0..<4) > 0 { HostileLogs.sign(&changed) }
        files[name + "-wal"] = changed
    }

    private mutating func makeLog() {
        let count = UInt32(main.count / pageSize)
        var pages: [(UInt32, UInt32, [UInt8])] = []
        for _ in 0..<number(1..<6) {
            let page = UInt32(
                pick([1, number(1..<Int(count) + 2), number(1..<Int(count) + 2), 0x7fff_ffff, 1_000_000]))
            let start = Int(pick([page, UInt32(number(1..<Int(count) + 2))]) &- 1) &* pageSize
            var bytes = HostileBytes(
                start >= 0 && start + pageSize <= main.count ? Array(main[start..<start + pageSize]) : [1, 2, 3], random
            )
            if bytes.number(0..<2) == 0 { bytes.change(structure: 0) }
            random = bytes.random
            pages.append(
                (page, UInt32(pick([0, Int(count), 1, 0xffff_ffff, 0x7fff_ffff, number(0..<2_000_000)])), bytes.bytes))
        }
        files[name + "-wal"] = HostileLogs.log(pages, pageSize: pick([pageSize, pageSize, 512, 65_536]))
    }

    private mutating func makeJournal() {
        let count = UInt32(main.count / pageSize)
        let pages = (0..<number(0..<5)).map { _ -> (number: UInt32, content: [UInt8]) in
            let page = number(1..<Int(count) + 3)
            return (
                number: UInt32(page),
                content: [UInt8](main.dropFirst((number(1..<page + 1) - 1) * pageSize).prefix(pageSize))
            )
        }
        var journal = HostileLogs.journal(
            pages, count: UInt32(pick([pages.count, 0, 0xffff_ffff, 1000])),
            pageCount: UInt32(pick([Int(count), 0, 1, 0xffff_ffff, 0x7fff_ffff])),
            pageSize: pick([pageSize, pageSize, 512, 0, 3]),
            sector: UInt32(pick([512, 512, 0, 1, 0xffff_ffff, 65_536])))
        if number(0..<3) == 0 {
            var bytes = HostileBytes(journal, random)
            bytes.change(structure: 0)
            random = bytes.random
            journal = bytes.bytes
        }
        files[name + "-journal"] = journal
    }

    private mutating func changeSize() {
        if number(0..<3) == 0 { main = Array(main.prefix(number(0..<main.count + 1))) }
        sparseSize = pick([1 << 20, 1 << 30, (1 << 30) + 512, 1 << 34, 1 << 40, Int64(main.count) + 1])
        guard main.count > 100 else { return }
        let count = UInt32(
            truncatingIfNeeded: pick([(sparseSize ?? 0) / Int64(pageSize), 0xffff_ffff, 0xffff_fffe, 0]))
        main.replaceSubrange(28..<32, with: withUnsafeBytes(of: count.bigEndian) { Array($0) })
        main.replaceSubrange(92..<96, with: main[24..<28])
    }

    private mutating func changeIndexOfLog() {
        var bytes = HostileBytes((0..<32_768).map { _ in 0 }, random)
        for _ in 0..<20 { bytes.change(structure: 0) }
        random = bytes.random
        files[name + "-shm"] = bytes.bytes
    }

    private mutating func changeOthers() {
        let others = files.keys.filter { $0 != name && $0 != "notes.txt" }.sorted()
        guard !others.isEmpty else { return changePages() }
        let other = pick(others)
        if number(0..<3) == 0 { files[other] = nil } else { changeBytes(other) }
    }

    /// Writes the files into a folder, and returns the URL of the database.
    func write(to folder: URL) throws -> URL {
        for (name, content) in files {
            let file = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content).write(to: file)
        }
        let url = folder.appendingPathComponent(name)
        if let sparseSize, sparseSize > Int64(main.count) { truncate(url.path, off_t(sparseSize)) }
        return url
    }
}
