import CoreData
import Foundation
import Testing

/// The files of a folder, but for the index of a log and a log without content, which SQLite leaves beside open stores.
package func files(_ folder: URL) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
        let data = (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data()
        if !name.hasSuffix("-wal") || !data.isEmpty { found[name] = data }
    }
    return found
}

/// Expects a migration to be refused by an error with a remedy, and every file of the store's folder to stay as it was.
///
/// - Parameter words: What the error's texts contain.
@discardableResult
package func expectRefusal(
    of store: MigrationStore, _ code: Int, domain: String = NSCocoaErrorDomain, _ words: [String] = [],
    entity: String? = nil, property: String? = nil, underlying: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws -> NSError {
    let before = try files(store.folder.url)
    let begin = Date()
    let thrown = #expect(throws: (any Error).self, sourceLocation: sourceLocation, performing: body)
    // Far below the four minutes that a store waits for others unless told otherwise.
    #expect(Date().timeIntervalSince(begin) < 100, sourceLocation: sourceLocation)
    let error = try #require(thrown, sourceLocation: sourceLocation) as NSError
    #expect(error.domain == domain && error.code == code, "\(error)", sourceLocation: sourceLocation)
    let texts = [
        error.localizedDescription, error.localizedFailureReason ?? "", error.localizedRecoverySuggestion ?? "",
    ].joined(separator: "\n")
    for word in words { #expect(texts.contains(word), "\(word): \(texts)", sourceLocation: sourceLocation) }
    if domain == NSCocoaErrorDomain {
        #expect(error.localizedRecoverySuggestion?.isEmpty == false, "\(error)", sourceLocation: sourceLocation)
    }
    if let entity { #expect(error.userInfo["entity"] as? String == entity, "\(error)", sourceLocation: sourceLocation) }
    if let property {
        #expect(error.userInfo["property"] as? String == property, "\(error)", sourceLocation: sourceLocation)
    }
    if let underlying {
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.code == underlying, "\(error)", sourceLocation: sourceLocation)
    }
    let after = try files(store.folder.url)
    #expect(after.keys.sorted() == before.keys.sorted(), sourceLocation: sourceLocation)
    #expect(after == before, "The files have changed.", sourceLocation: sourceLocation)
    return error
}
