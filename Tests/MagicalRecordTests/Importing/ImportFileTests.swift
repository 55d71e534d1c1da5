import MagicalRecord
import Testing

#if !canImport(Darwin)
/// A file to be imported may be a store that is open, by mistake: closing any descriptor of a file ends all locks that the process
/// has on it (fcntl_locking(2)), and another process would take the store for unused.
@Suite(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/locks"), "needs /proc/locks"))
struct ImportFileTests {
    private let folder: TemporaryDirectory
    private let stack: MagicalRecord.Stack
    private let context: NSManagedObjectContext
    private let url: URL

    init() throws {
        folder = try TemporaryDirectory()
        url = folder.file("Store.sqlite")
        stack = try AddressBook.stack(.sqlite(at: url))
        context = stack.newContext()
        _ = try User.importAll(from: .json("{\"userID\": 1}"), in: context)
        try context.save(to: .store)
        _ = try User.count(in: stack.newContext())
    }

    /// On how many of the two this process has locks: the database, and the index of its log.
    private func lockedFiles() throws -> Int {
        let own = String(ProcessInfo.processInfo.processIdentifier)
        let descriptor = Foundation.open("/proc/locks", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(descriptor, &piece, piece.count), count > 0 { bytes += piece[..<count] }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { $0.contains(" \(own) ") }
        return try ["", "-shm"].count { suffix in
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path + suffix)
            let inode = try #require((attributes[.systemFileNumber] as? NSNumber)?.uint64Value)
            return lines.contains { $0.contains(":\(inode) ") }
        }
    }

    @Test(arguments: [nil, "users"] as [String?])
    func aStoreThatIsOpenKeepsItsLocks(path: String?) throws {
        #expect(try lockedFiles() == 2)
        let link = folder.file("users.json")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
        let beside = ["-shm", "-wal"].map { URL(fileURLWithPath: url.path + $0) }
        var options = MagicalRecord.ImportOptions()
        options.recordsKeyPath = path
        for file in [url, link] + beside {
            let error = #expect(throws: (any Error).self) {
                try User.importAll(from: .file(file), options: options, in: stack.newContext())
            }
            #expect(
                "\(error.map { ($0 as NSError).localizedFailureReason ?? "" } ?? "")".contains("store that is open"))
            #expect(try lockedFiles() == 2, "\(file.lastPathComponent)")
        }
    }

    @Test func aMissingFileIsAnError() {
        let error = #expect(throws: CocoaError.self) {
            try User.importAll(from: .file(folder.file("none.json")), in: context)
        }
        #expect(error?.code == .fileReadNoSuchFile)
    }
}
#endif
