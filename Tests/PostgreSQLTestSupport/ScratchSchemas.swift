#if PostgreSQL
import Foundation
import Synchronization

/// Schemas that are removed when the tests end.
package enum ScratchSchemas {
    private static let urls = Mutex<[URL]>([])
    private static let registration: Void = {
        atexit { for url in ScratchSchemas.urls.withLock({ $0 }) { TestServer.removeSchema(url) } }
    }()

    /// Makes an empty schema, and returns the URL of its role.
    package static func make() throws -> URL {
        registration
        let url = try TestServer.makeSchema()
        urls.withLock { $0.append(url) }
        return url
    }
}
#endif
