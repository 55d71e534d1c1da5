import CoreData

extension MagicalRecord {
    /// A description of a persistent store to open: its type, location and options.
    ///
    /// ```swift
    /// .sqlite(named: "AddressBook")                 // Application Support/<bundle name>/AddressBook.sqlite
    /// .sqlite(named: "Shared", in: groupDirectory)  // an app group's folder, a user's folder
    /// .sqlite(at: url)                              // exactly there
    /// .temporary                                    // SQLite without a file, for tests
    /// .inMemory                                     // without SQL, and without its constraints
    /// .postgreSQL("postgresql:///addressbook")      // a server's database; off Apple's platforms
    /// ```
    public struct Store: @unchecked Sendable {
        /// The location of a store.
        public enum Location: Hashable, Sendable {
            /// A file with a name in the framework's own directory (see ``MagicalRecord/storeDirectory()``) or in the given
            /// directory. `.sqlite` is appended to a SQLite store's name without an extension.
            case named(String, directory: URL?)
            /// Exactly this file, or another URL that the store type understands.
            case url(URL)
            /// No file.
            case memory
        }

        /// The store type, such as `NSSQLiteStoreType`.
        public var type: String
        /// The location of the store.
        public var location: Location
        /// The configuration of the model for this store, or nil for all entities.
        public var configuration: String?
        /// Store options by Core Data's keys. They override those of the migration policy.
        public var options: [String: Any]
        /// Whether the store is opened without write access.
        public var isReadOnly: Bool
        /// True if the stack merges what other programs save; see ``mergingRemoteChanges()``.
        public private(set) var mergesRemoteChanges = false

        /// Creates a description of a store of any type; the static functions create the common ones.
        public init(
            type: String, location: Location, configuration: String? = nil, options: [String: Any] = [:],
            isReadOnly: Bool = false
        ) {
            self.type = type
            self.location = location
            self.configuration = configuration
            self.options = options
            self.isReadOnly = isReadOnly
        }

        /// A SQLite store named after the program (see ``MagicalRecord/defaultStoreName()``).
        public static var sqlite: Store { .sqlite(named: MagicalRecord.defaultStoreName()) }

        /// An in-memory store, discarded with the stack. Every stack set up with it starts empty.
        public static var inMemory: Store { Store(type: NSInMemoryStoreType, location: .memory) }

        /// A SQLite store without a file, discarded with the stack. Supports uniqueness constraints and derived attributes,
        /// which ``inMemory`` does not. Every stack set up with it starts empty.
        public static var temporary: Store { .sqlite(at: URL(fileURLWithPath: "/dev/null")) }

        /// Returns a SQLite store with a file name, in the framework's own directory or in `directory`.
        public static func sqlite(
            named name: String, in directory: URL? = nil, configuration: String? = nil, options: [String: Any] = [:]
        ) -> Store {
            let location = Location.named(name, directory: directory)
            return Store(
                type: NSSQLiteStoreType, location: location, configuration: configuration, options: options)
        }

        /// Returns a SQLite store at exactly this URL.
        public static func sqlite(at url: URL, configuration: String? = nil, options: [String: Any] = [:]) -> Store {
            Store(type: NSSQLiteStoreType, location: .url(url), configuration: configuration, options: options)
        }

        /// Returns a store at a URL, of the type registered for the URL's scheme: SQLite for files.
        public static func at(_ url: URL, configuration: String? = nil, options: [String: Any] = [:]) -> Store {
            let type = NSPersistentStoreCoordinator.type(ofStoreAt: url)
            return Store(type: type, location: .url(url), configuration: configuration, options: options)
        }

        /// Returns an in-memory store for the entities of one configuration, for use beside stores that hold the others.
        public static func inMemory(configuration: String) -> Store {
            Store(type: NSInMemoryStoreType, location: .memory, configuration: configuration)
        }

        /// Returns a store in Core Data's binary format, which is read and written as a whole.
        public static func binary(at url: URL, configuration: String? = nil, options: [String: Any] = [:]) -> Store {
            Store(type: NSBinaryStoreType, location: .url(url), configuration: configuration, options: options)
        }

        /// Returns the same store, opened without write access.
        public func readOnly() -> Store {
            var copy = self
            copy.isReadOnly = true
            return copy
        }

        /// Returns the same store, with persistent history: its changes by other programs are merged into the contexts of the
        /// stack, and results and `observe` follow them.
        ///
        /// ```swift
        /// try MagicalRecord.setUp(.postgreSQL("postgresql:///addressbook").mergingRemoteChanges(), shape: .server)
        /// ```
        ///
        /// All programs that write the store must add it so, or with `NSPersistentHistoryTrackingKey`: what one of them saves
        /// without history remains unseen. Changes of SQLite stores are seen when the file changes; PostgreSQL stores ask once
        /// a second, or as `NSPersistentStoreRemoteChangeIntervalKey` and `NSPersistentStoreRemoteChangeConnectionKey` say.
        /// History grows until it is purged; see `HistoryRetention`.
        public func mergingRemoteChanges() -> Store {
            var copy = self
            copy.options[NSPersistentHistoryTrackingKey] = true
            copy.options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = true
            copy.mergesRemoteChanges = true
            return copy
        }

        /// The store's URL, of a file unless its type says otherwise; nil for one in memory.
        public var url: URL? {
            switch location {
            case .memory: return nil
            case .url(let url): return url
            case .named(var name, let directory):
                if type == NSSQLiteStoreType, (name as NSString).pathExtension.isEmpty { name += ".sqlite" }
                return (directory ?? MagicalRecord.storeDirectory()).appendingPathComponent(name)
            }
        }
    }
}
