import CoreData
import CoreDataRuntimeSupport
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Places in the program's code", .enabled(if: Instruments.CodePath.areKnown))
struct PlaceTests {
    private typealias CodePath = Instruments.CodePath

    @Test func aCallIsAtItsLine() throws {
        let (path, line) = (CodePath.capture(), #line)
        let place = try #require(path.place)
        #expect(place.line == line && place.file == #filePath)
        #expect(place.function == "PlaceTests.aCallIsAtItsLine()")
        #expect(place.description == "PlaceTests.swift:\(line)")
    }

    private func helper() -> CodePath { CodePath.capture() }

    @Test func callersFollowFromTheInside() throws {
        let (path, line) = (helper(), #line)
        #expect(path.place?.function == "PlaceTests.helper()")
        #expect(
            path.callers.first
                == Instruments.Place(file: #filePath, line: line, function: "PlaceTests.callersFollowFromTheInside()"))
    }

    @Test func blocksOfContextsAreLeftOut() async throws {
        let context = try Library().context
        let (inside, outside) = context.performAndWait { (CodePath.capture(), #line) }
        #expect(inside.place?.line == outside)
        #expect(inside.callers.first?.line == outside, "the line that calls performAndWait, which is this package's")
        let (awaited, line) = await context.perform { (CodePath.capture(), #line) }
        #expect(awaited.place?.line == line && awaited.place?.file == #filePath)
        #expect(awaited.places.allSatisfy { $0.file == #filePath })
    }

    /// Calls of this package between the program's: `fetch` calls `awakeFromFetch()`.
    @Test func whatTheProgramOverridesIsCalledFromItsOwnLine() throws {
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.managedObjectClassName = NSStringFromClass(WakingTag.self)
        let library = try Library(model)
        try library.context.performAndWait {
            library.context.insert("Tag", ["word": "a"])
            try library.context.save()
        }
        let context = library.makeContext()
        var line = 0
        let path = try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            request.returnsObjectsAsFaults = false
            var tags: [NSManagedObject] = []
            (tags, line) = (try context.fetch(request), #line)
            return try #require(tags.first as? WakingTag).path
        }
        let places = try #require(path?.places)
        #expect(places.first?.function == "WakingTag.awakeFromFetch()")
        #expect(places.dropFirst().first?.line == line)
    }

    private func later() async -> (CodePath, Int) {
        await Task.yield()
        return (CodePath.capture(), #line)
    }

    @Test func codeAfterAnAwaitIsAtItsLine() async {
        await Task.yield()
        let (path, line) = (CodePath.capture(), #line)
        #expect(path.place?.line == line && path.place?.function == "PlaceTests.codeAfterAnAwaitIsAtItsLine()")
        let (other, otherLine) = await later()
        #expect(other.place?.line == otherLine && other.place?.function == "PlaceTests.later()")
    }

    @Test func nestedClosuresAreAtTheirLines() {
        let outer = { () -> (CodePath, Int) in
            let inner = { (CodePath.capture(), #line) }
            return inner()
        }
        let ((path, line), call) = (outer(), #line)
        #expect(path.place?.line == line)
        #expect(path.callers.prefix(2).map(\.line) == [line + 1, call])
    }

    @Test func oneLineIsOnePathAndTwoLinesAreTwo() {
        var paths: [CodePath] = []
        for _ in 0..<3 { paths.append(CodePath.capture()) }
        #expect(Set(paths).count == 1 && paths[0].place != nil)
        let first = CodePath.capture()
        let second = CodePath.capture()
        #expect(first != second && first.place != second.place)
        // By other callers, the same line is reached on another path.
        let (here, there) = (helper(), helper())
        #expect(here != there && here.place == there.place)
    }

    @Test func placesAreLookedUpFromManyThreads() async {
        let (path, line) = (CodePath.capture(), #line)
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<20 { group.addTask { path.place?.line } }
            for await found in group { #expect(found == line) }
        }
    }

    @Test func addressesOfNoCodeHaveNoPlace() {
        for address in [0, 1, 0x1000, UInt.max] {
            let path = CodePath(addresses: [address])
            #expect(path.place == nil && path.enclosingAlgorithm == nil)
        }
        #expect(Array(CodePath(addresses: []).frames).isEmpty)
    }

    /// Mapped files of other kinds come and go, as the index of a write-ahead log does.
    @Test func placesAreLookedUpWhileFilesAreUnmapped() throws {
        let directory = try TemporaryFolder()
        let file = directory.url.appendingPathComponent("mapped").path
        try #require(FileManager.default.createFile(atPath: file, contents: Data(repeating: 7, count: 65_536)))
        let isDone = Locked(false)
        let thread = Thread {
            while !isDone.withLock({ $0 }) {
                let descriptor = open(file, O_RDONLY)
                let memory = mmap(nil, 65_536, PROT_READ, MAP_SHARED, descriptor, 0)
                munmap(memory!, 65_536)
                close(descriptor)
            }
        }
        thread.start()
        defer { isDone.withLock { $0 = true } }
        // The images are listed again for each address that lies in none.
        for address in UInt(0x1000)..<0x1030 { #expect(CodePath(addresses: [address]).place == nil) }
    }

    @Test func imagesAreFilesThatMayBeExecuted() {
        let mappings = """
            55cd9ec5e000-55cd9ec60000 r--p 00000000 fe:00 253911                     /usr/bin/my cat
            55cd9ec60000-55cd9ec65000 r-xp 00002000 fe:00 253911                     /usr/bin/my cat
            55cd9ec65000-55cd9ec68000 r--p 00007000 fe:00 253911                     /usr/bin/my cat
            55cd9f000000-55cd9f021000 rw-p 00000000 00:00 0                          [heap]
            7f0000000000-7f0000008000 rw-s 00000000 fe:00 77                         /tmp/Store.sqlite-shm
            7f0000010000-7f0000020000 r-xp 00000000 fe:00 78                         /usr/lib/libone.so
            7f0000020000-7f0000030000 r-xp 00000000 00:00 0
            7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]
            """
        #expect(
            LoadedImage.all(in: mappings) == [
                LoadedImage(path: "/usr/bin/my cat", base: 0x55cd_9ec5_e000, end: 0x55cd_9ec6_5000),
                LoadedImage(path: "/usr/lib/libone.so", base: 0x7f00_0001_0000, end: 0x7f00_0002_0000),
            ])
        #expect(LoadedImage.all(in: "nonsense\n\n1-0 r-xp 0 fe:00 1 /a\nx-y r-xp z fe:00 1 /b").isEmpty)
    }

    private final class Box: @unchecked Sendable {
        var path: CodePath?
        static let ofSorting = Box()
    }

    @Test func threadsOfOtherLanguagesAreCaptured() {
        let box = Box()
        var thread = pthread_t()
        let line = #line + 4
        pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Box>.fromOpaque(argument!).takeUnretainedValue().path = .capture()
                return nil
            }, Unmanaged.passUnretained(box).toOpaque())
        pthread_join(thread, nil)
        #expect(box.path?.places.map(\.line) == [line])
    }

    /// Functions of C between Swift's, without frame pointers.
    @Test func callbacksOfCHaveCallers() {
        var numbers = [3, 1, 2]
        let line = #line + 1
        qsort(&numbers, numbers.count, MemoryLayout<Int>.stride) { _, _ in
            Box.ofSorting.path = .capture()
            return 0
        }
        #expect(Box.ofSorting.path?.place?.line == line + 1)
        #expect(Box.ofSorting.path?.callers.contains { $0.line == line } == true)
    }

    @Test func queuesAreCaptured() async {
        let (path, line) = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: (CodePath.capture(), #line)) }
        }
        #expect(path.places.map(\.line) == [line])
    }

    @Test func capturingTakesLessThanAMillisecond() {
        _ = CodePath.capture()
        let clock = ContinuousClock()
        let times = (0..<200).map { _ in clock.measure { _ = CodePath.capture() } }.sorted()
        #expect(times[100] < .milliseconds(1))
        let path = CodePath.capture()
        _ = path.place
        #expect((0..<200).map { _ in clock.measure { _ = path.place } }.sorted()[100] < .milliseconds(1))
    }

    @Test(arguments: [
        ("/app/Sources/App/Inbox.swift", CodeOrigin.program),
        ("/app/.build/checkouts/Other/Sources/Other/A.swift", .dependency),
        ("/app/.build/registry/downloads/a/b/1.0.0/Sources/Other/A.swift", .dependency),
        ("/app/.build/plugins/outputs/app/App/destination/CoreDataModelPlugin/ManagedAccessors.swift", .generated),
        ("/tmp/swift-generated-sources/@__swiftmacro_3App4testyyF6expectfMf_.swift", .generated),
        (
            "/app/.build/x86_64-unknown-linux-gnu/debug/App.build/DerivedSources/resource_bundle_accessor.swift",
            .generated
        ),
    ])
    func filesTellWhoseCodeItIs(_ file: String, _ origin: CodeOrigin) {
        #expect(CodeOrigin(file: file) == origin)
    }

    @Test func sourcesOfThisPackageAreItsOwn() {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).joined(separator: "/").dropFirst()
        #expect(CodeOrigin(file: "\(root)/Sources/CoreData/Object/NSManagedObject.swift") == .framework)
        #expect(CodeOrigin(file: "\(root)/Sources/MagicalRecord/Finding/Finding.swift") == .framework)
        #expect(CodeOrigin(file: #filePath) == .program)
    }
}

@Suite("Places in release builds", .enabled(if: !Instruments.CodePath.areKnown))
struct UnknownPlaceTests {
    @Test func areUnknown() {
        let path = Instruments.CodePath.capture()
        #expect(path.addresses.isEmpty && path.place == nil && path.enclosingAlgorithm == nil)
    }
}

final class WakingTag: NSManagedObject {
    var path: Instruments.CodePath?

    override func awakeFromFetch() {
        super.awakeFromFetch()
        path = .capture()
    }
}
