import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// `NSPersistentStoreRemoteChange`: told by every store that was added with the option, whoever writes.
@Suite("Remote changes", .serialized)
struct RemoteChangeTests {
    private static var options: [AnyHashable: Any] {
        [
            NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
            // PostgreSQL stores ask.
            NSPersistentStoreRemoteChangeIntervalKey: 0.05,
        ]
    }

    /// Collects the notifications of one coordinator, which come on any thread.
    private final class Listener: @unchecked Sendable {
        private let condition = NSCondition()
        private var notifications: [[AnyHashable: Any]] = []
        private var observer: (any NSObjectProtocol)?

        init(_ coordinator: NSPersistentStoreCoordinator) {
            observer = NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
            ) { [weak self] notification in
                guard let self else { return }
                condition.lock()
                notifications.append(notification.userInfo ?? [:])
                condition.broadcast()
                condition.unlock()
            }
        }

        deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }

        var count: Int {
            condition.lock()
            defer { condition.unlock() }
            return notifications.count
        }

        /// The first notification after `count` of them; nil when none comes in time.
        func wait(after count: Int = 0, seconds: Double = 20) -> [AnyHashable: Any]? {
            let limit = Date(timeIntervalSinceNow: seconds)
            condition.lock()
            defer { condition.unlock() }
            while notifications.count <= count {
                if !condition.wait(until: limit) { return nil }
            }
            return notifications[count]
        }
    }

    @Test("One's own saves are told, with store and place in history")
    func ownSaves() throws {
        let library = try StoredLibrary(options: Self.options)
        let listener = Listener(library.coordinator)
        try library.context.performAndWait {
            library.context.insert("Tag")
            try library.context.save()
        }
        let info = try #require(listener.wait())
        #expect(info[NSStoreUUIDKey] as? String == library.store.identifier)
        #expect(info[NSPersistentStoreURLKey] as? URL == library.url)
        let token = library.coordinator.currentPersistentHistoryToken(fromStores: nil)
        #expect(info[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken == token)
        // The store does not take its own writes for somebody else's.
        Thread.sleep(forTimeInterval: 0.2)
        #expect(listener.count == 1)
    }

    @Test("Another coordinator's saves are told")
    func otherCoordinator() throws {
        let library = try StoredLibrary(options: Self.options)
        let listener = Listener(library.coordinator)
        let other = try library.makeSecondContext(options: [NSPersistentHistoryTrackingKey: true])
        for round in 0..<5 {
            let count = listener.count
            try other.performAndWait {
                other.insert("Tag", ["word": "\(round)"])
                try other.save()
            }
            let info = try #require(listener.wait(after: count))
            #expect(info[NSPersistentHistoryTokenKey] is NSPersistentHistoryToken)
        }
    }

    /// The interval is longer than the test may take: only the server's announcement tells in time.
    @Test("A server announces the commits of others", .enabled(if: StoredLibrary.kind == .postgreSQL))
    func announcements() throws {
        let url = try #require(
            ProcessInfo.processInfo.environment["MAGICALRECORD_TEST_POSTGRESQL_DIRECT"]
                ?? ProcessInfo.processInfo.environment["MAGICALRECORD_TEST_POSTGRESQL"])
        var options = Self.options
        options[NSPersistentStoreRemoteChangeIntervalKey] = 600.0
        options[NSPersistentStoreRemoteChangeConnectionKey] = url
        let library = try StoredLibrary(options: options)
        let listener = Listener(library.coordinator)
        let other = try library.makeSecondContext(options: options)
        // The connection is opened meanwhile.
        Thread.sleep(forTimeInterval: 0.5)
        for round in 0..<3 {
            let count = listener.count
            try other.performAndWait {
                other.insert("Tag", ["word": "\(round)"])
                try other.save()
            }
            #expect(listener.wait(after: count) != nil)
        }
    }

    @Test("Another process's writes are told", .enabled(if: StoredLibrary.kind == .sqlite))
    func otherProcess() throws {
        let tool = URL(fileURLWithPath: "/usr/bin/sqlite3")
        guard FileManager.default.isExecutableFile(atPath: tool.path) else {
            print("Skipped: there is no \(tool.path) to write with from another process.")
            return
        }
        let library = try StoredLibrary(options: Self.options)
        let tag = try library.context.performAndWait {
            let tag = library.context.insert("Tag", ["word": "here"])
            try library.context.save()
            return tag
        }
        let listener = Listener(library.coordinator)
        let process = Process()
        process.executableURL = tool
        process.arguments = [library.url.path, "UPDATE ZTAG SET ZWORD = 'there', Z_OPT = Z_OPT + 1"]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(listener.wait() != nil)
        library.context.performAndWait {
            library.context.refresh(tag, mergeChanges: false)
            #expect(tag.value(forKey: "word") as? String == "there")
        }
    }

    @Test("Without the option nothing is told, and after removal nothing any more")
    func silence() throws {
        let quiet = try StoredLibrary(options: [NSPersistentHistoryTrackingKey: true])
        let loud = try StoredLibrary(options: Self.options)
        let listeners = [Listener(quiet.coordinator), Listener(loud.coordinator)]
        let other = try loud.makeSecondContext(options: [NSPersistentHistoryTrackingKey: true])
        try loud.coordinator.remove(loud.store)
        for context in [quiet.context, other] {
            try context.performAndWait {
                context.insert("Tag")
                try context.save()
            }
        }
        Thread.sleep(forTimeInterval: 0.2)
        #expect(listeners.map(\.count) == [0, 0])
    }
}
