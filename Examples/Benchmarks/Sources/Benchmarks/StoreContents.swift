import CoreDataEngine
import Foundation
import LibPQEngine
import RawEngine
import Workloads

/// Functions that make, fill, verify and remove stores of all kinds.
enum StoreContents {
    /// Returns the URL of a store that an option names: a path, or a URL of a server.
    static func url(_ option: String) -> URL {
        if option.contains("://"), let url = URL(string: option) { return url }
        return URL(fileURLWithPath: option)
    }

    /// Returns the option for a store.
    static func option(_ url: URL) -> String { url.isFileURL ? url.path : url.absoluteString }

    /// Makes an empty place for a store in the server.
    static func makeServerStore() throws -> URL {
        #if PostgreSQL
        try ServerStores.make()
        #else
        throw BenchmarkError("engines over a server need a build with --traits PostgreSQL")
        #endif
    }

    /// Removes a store in the server.
    static func removeServerStore(_ url: URL) {
        #if PostgreSQL
        ServerStores.remove(url)
        #endif
    }

    /// Creates and fills a store.
    static func create(_ kind: StoreKind, at url: URL, rows: Int, fixture: Fixture) throws {
        switch kind {
        case .plain: try StoreFilling.createPlainStore(at: url)
        case .coreData, .postgreSQL: try CoreDataEngine.createStore(at: url)
        }
        if kind == .postgreSQL {
            #if PostgreSQL
            try ServerStores.fill(url, rows: rows, fixture: fixture)
            #endif
            return
        }
        let differences = try StoreFilling.differences(url)
        guard differences.isEmpty else {
            throw BenchmarkError("engines would not work on the same tables: " + differences.joined(separator: "; "))
        }
        try StoreFilling.fill(url, rows: rows, fixture: fixture)
    }

    /// Returns a checksum of everything in a store.
    static func checksum(_ url: URL) throws -> Checksum {
        #if PostgreSQL
        if !url.isFileURL { return try ServerStores.checksum(url) }
        #endif
        return try StoreFilling.checksum(url)
    }
}
