import CoreData

extension MagicalRecord {
    /// A persistent store to open: its kind, its place, and how it is to be opened.
    ///
    /// ```swift
    /// .sqlite(named: "AddressBook")                 // Application Support/<bundle name>/AddressBook.sqlite
    /// .sqlite(named: "Shared", in: groupDirectory)  // an app group's folder, a user's folder
    /// .sqlite(at: url)                              // exactly there
    /// .temporary                                    // SQLite without a file, for tests
    /// .inMemory                                     // without SQL, and without its constraints
    /// ```
    public struct Store: @unchecked Sendable {
        /// Where a store's file lies.
        public enum Location: Hashable, Sendable {
            /// A file of that name in the framework's own directory (see ``MagicalRecord/storeDirectory()``) or in
            /// the directory given. `.sqlite` is appended to a SQLite store's name that has no extension.
            case named(String, directory: URL?)
            /// Exactly this file, or what else stores of the type are found by.
            case url(URL)
            /// No file.
            case memory
        }

        /// Core Data's name of the kind of store: `NSSQLiteStoreType` and so on.
        public var type: String
        /// Where the store lies.
        public var location: Location
        /// The model's configuration to put into this store, or `nil` for all entities.
        public var configuration: String?
        /// Store options, which win over those the migration policy sets. Keys are Core Data's option constants.
        public var options: [String: Any]
        /// Opens the store without write access.
        public var isReadOnly: Bool

        /// A store of any type; the static functions make the usual ones.
        public init(
            type: String,
            location: Location,
            configuration: String? = nil,
            options: [String: Any] = [:],
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

        /// A store without a file, gone with the stack. Every stack set up with it starts empty.
        public static var inMemory: Store { Store(type: NSInMemoryStoreType, location: .memory) }

        /// A SQLite store without a file of its own, gone with the stack: with uniqueness constraints and derived attributes,
        /// which ``inMemory`` does not keep. Every stack set up with it starts empty.
        public static var temporary: Store { .sqlite(at: URL(fileURLWithPath: "/dev/null")) }

        /// A SQLite store of that file name, in the framework's own directory or in `directory`.
        public static func sqlite(
            named name: String, in directory: URL? = nil, configuration: String? = nil, options: [String: Any] = [:]
        ) -> Store {
            Store(
                type: NSSQLiteStoreType, location: .named(name, directory: directory), configuration: configuration,
                options: options)
        }

        /// A SQLite store at exactly that place.
        public static func sqlite(
            at url: URL, configuration: String? = nil, options: [String: Any] = [:]
        ) -> Store {
            Store(type: NSSQLiteStoreType, location: .url(url), configuration: configuration, options: options)
        }

        /// A store at a URL, of the type that is registered for the URL's scheme: SQLite for files.
        public static func at(_ url: URL, configuration: String? = nil, options: [String: Any] = [:]) -> Store {
            Store(
                type: NSPersistentStoreCoordinator.type(ofStoreAt: url), location: .url(url),
                configuration: configuration, options: options)
        }

        /// A store in memory that holds the entities of one configuration, beside others that hold the rest.
        public static func inMemory(configuration: String) -> Store {
            Store(type: NSInMemoryStoreType, location: .memory, configuration: configuration)
        }

        /// A store in Core Data's binary format, which is read and written as a whole.
        public static func binary(at url: URL, configuration: String? = nil, options: [String: Any] = [:]) -> Store {
            Store(type: NSBinaryStoreType, location: .url(url), configuration: configuration, options: options)
        }

        /// The same store, opened without write access.
        public func readOnly() -> Store {
            var copy = self
            copy.isReadOnly = true
            return copy
        }

        /// The place of the store, a file unless its type says otherwise, or `nil` for one in memory.
        public var url: URL? {
            switch location {
            case .memory: return nil
            case .url(let url): return url
            case .named(let name, let directory):
                let full = type == NSSQLiteStoreType ? MagicalRecord.completedStoreName(name) : name
                return (directory ?? MagicalRecord.storeDirectory()).appendingPathComponent(full)
            }
        }
    }
}
