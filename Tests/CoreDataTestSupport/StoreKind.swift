import CoreData
import Foundation
import PostgreSQLTestSupport
import Testing

/// The kinds of store that behaviour is tested on.
package enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case memory, sqlite
    /// A schema of the server that ``TestServer`` names.
    case postgreSQL

    /// The kinds that there are here: PostgreSQL where the tests were built with the trait and have a server.
    package static let allCases: [StoreKind] = hasServer ? [.memory, .sqlite, .postgreSQL] : [.memory, .sqlite]

    /// The kind for tests that name none: memory, or the one that `COREDATA_TEST_STORE` names.
    package static let usual: StoreKind =
        ProcessInfo.processInfo.environment["COREDATA_TEST_STORE"].flatMap(StoreKind.init) ?? .memory

    /// The kind for tests of stores that outlive their program and name none: SQLite, or PostgreSQL if `COREDATA_TEST_STORE`
    /// says so.
    package static let onDisk: StoreKind = usual == .postgreSQL ? .postgreSQL : .sqlite

    /// True if stores can be made in a PostgreSQL server.
    package static var hasServer: Bool {
        #if PostgreSQL
        TestServer.isAvailable
        #else
        false
        #endif
    }

    /// The reason for which tests are skipped.
    package static let needsServer: Comment = "The trait PostgreSQL and MAGICALRECORD_TEST_POSTGRESQL are needed."

    package var type: String {
        switch self {
        case .memory: NSInMemoryStoreType
        case .sqlite: NSSQLiteStoreType
        case .postgreSQL: CoreDataPostgreSQLStoreType
        }
    }

    package var testDescription: String { rawValue }

    /// A place for one store.
    package enum Place {
        case memory
        case folder(URL)
        case schema(URL)

        /// The URL of a store at the place; nil in memory.
        package var url: URL? {
            switch self {
            case .memory: nil
            case .folder(let folder): folder.appendingPathComponent("Library.sqlite")
            case .schema(let url): url
            }
        }

        /// Removes the place with the store.
        package func remove() {
            switch self {
            case .memory: break
            case .folder(let folder): try? FileManager.default.removeItem(at: folder)
            case .schema(let url):
                #if PostgreSQL
                TestServer.removeSchema(url)
                #else
                _ = url
                #endif
            }
        }
    }

    /// Makes an empty place for a store of the kind.
    package func makePlace() throws -> Place {
        switch self {
        case .memory: return .memory
        case .sqlite:
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Library-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return .folder(folder)
        case .postgreSQL:
            #if PostgreSQL
            return .schema(try TestServer.makeSchema())
            #else
            throw CocoaError(.featureUnsupported)
            #endif
        }
    }
}
