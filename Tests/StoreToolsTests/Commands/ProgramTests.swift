import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// The program as a process: signals, pipes, places and names of files.
@Suite struct ProgramTests {
    /// The program, which the package builds beside the tests.
    private static var program: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("storetool")
    }
    private static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: program.path) }

    private static func start(_ words: [String]) throws -> (process: Process, output: Pipe) {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = words
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return (process, output)
    }

    private static func names(_ folder: URL) -> Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    }

    /// Starts a command, sends SIGINT when there is a new file beside the store, and returns the exit code and the output.
    private static func interrupt(_ words: [String], in folder: URL) throws -> (Int32, String) {
        let before = names(folder)
        let (process, output) = try start(words)
        let end = Date(timeIntervalSinceNow: 20)
        while process.isRunning, names(folder) == before, Date() < end { usleep(1000) }
        kill(process.processIdentifier, SIGINT)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// Makes a store with a number of people that is a power of two.
    private static func store(people: Int, in folder: TemporaryFolder) throws -> (URL, NSManagedObjectModel) {
        let url = folder.file("Store.sqlite")
        let model = Versions.first()
        try QuerySample.open(url, model) { context in context.insert("Person", ["name": "P", "age": 1]) }
        let doubling =
            "INSERT INTO ZPERSON (Z_ENT, Z_OPT, ZAGE, ZBORN, ZNAME) SELECT Z_ENT, 1, ZAGE, ZBORN, ZNAME FROM ZPERSON;"
        let steps = String(repeating: doubling, count: people.trailingZeroBitCount)
        try QuerySample.execute(
            "BEGIN; \(steps) UPDATE Z_PRIMARYKEY SET Z_MAX = \(people) WHERE Z_NAME = 'Person'; COMMIT;", at: url)
        return (url, model)
    }

    @Test(.enabled(if: isBuilt, "storetool was not built beside the tests."))
    func anInterruptedMigrationLeavesTheStoreAsItWas() throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        let (url, _) = try Self.store(people: 1 << 17, in: folder)
        let next = Versions.changed { entities, _ in
            entities["Person"]!.properties += [LibraryModel.attribute("height", .doubleAttributeType)]
        }
        let target = other.file("Next.sqlite")
        try QuerySample.open(target, next) { _ in }
        let before = try QuerySample.state(of: folder.url)
        let (status, text) = try Self.interrupt(["migrate", url.path, "--to", target.path], in: folder.url)
        #expect(status == 130, "\(text)")
        #expect(text.isEmpty)
        let after = try QuerySample.state(of: folder.url)
        #expect(after == before)
        let check = CommandRunner.run("check", url.path)
        #expect(check.status == 0)
    }

    @Test(.enabled(if: isBuilt, "storetool was not built beside the tests."))
    func anInterruptedCopyLeavesNothing() throws {
        let folder = try TemporaryFolder()
        let (url, _) = try Self.store(people: 1 << 17, in: folder)
        let before = try QuerySample.state(of: folder.url)
        let copy = folder.file("Copy.sqlite").path
        let (status, text) = try Self.interrupt(["copy", url.path, copy], in: folder.url)
        #expect(status == 130, "\(text)")
        let after = try QuerySample.state(of: folder.url)
        #expect(after == before)
    }

    @Test(.enabled(if: isBuilt, "storetool was not built beside the tests."))
    func aReaderThatEndsIsNoError() throws {
        let folder = try TemporaryFolder()
        let (url, _) = try Self.store(people: 1 << 13, in: folder)
        let (process, output) = try Self.start(["query", url.path, "Person"])
        let first = output.fileHandleForReading.readData(ofLength: 100)
        try output.fileHandleForReading.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
        #expect(first.count == 100)
    }

    @Test(arguments: ["sp ace", "ü?a#b%20c%", "it's \"quoted\"", "日本"])
    func pathsMayHaveAnyCharacters(_ name: String) throws {
        let outer = try TemporaryFolder()
        let folder = outer.file(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appendingPathComponent("\(name).sqlite")
        try QuerySample.open(url, Versions.first()) { Versions.fill($0) }
        let before = try QuerySample.state(of: folder)
        for words in [
            ["info", url.path], ["query", url.path, "Person"], ["get", url.path, "Person/1"], ["check", url.path],
            ["diff", url.path, url.path], ["migrate", url.path, "--to", url.path, "--rehearse"],
            ["follow", url.path, "Person/1", "clubs"],
        ] {
            let result = CommandRunner.run(words: words)
            #expect(result.status == 0, "\(words): \(result.errors)")
        }
        let after = try QuerySample.state(of: folder)
        #expect(after == before)
        for type in ["xml", "binary", "sqlite"] {
            let copy = folder.appendingPathComponent("copy \(name).\(type)").path
            let result = CommandRunner.run("copy", url.path, copy)
            #expect(result.status == 0, "\(result.errors)")
        }
    }

    @Test func aFolderThatCannotBeWrittenIsRead() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Store.sqlite")
        try QuerySample.open(url, Versions.first()) { Versions.fill($0) }
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: url.path)
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
        defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path) }
        let before = try QuerySample.state(of: folder.url)
        withoutPrivileges {
            for words in [
                ["info", url.path], ["query", url.path, "Person"], ["get", url.path, "Person/1"], ["check", url.path],
                ["diff", url.path, url.path], ["migrate", url.path, "--to", url.path, "--rehearse"],
                ["export", url.path, "Employee"],
            ] {
                let result = CommandRunner.run(words: words)
                #expect(result.status == 0, "\(words): \(result.errors)")
            }
            let refused = CommandRunner.run("copy", url.path, folder.file("Copy.sqlite").path)
            #expect(refused.status == 2)
        }
        let after = try QuerySample.state(of: folder.url)
        #expect(after == before)
    }
}
