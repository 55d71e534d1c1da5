import CoreDataRowStorage
import Foundation

/// Rewrites errors about a temporary copy of a store as errors about the store: the copy no longer exists when they are read.
struct RetoldError {
    /// The URL of the copy.
    let copy: URL
    /// The URL of the store that the program opened.
    let store: URL

    /// Returns the error with the copy's URL replaced by the store's in its texts, paths and URLs and in those of its
    /// underlying errors. Errors outside Cocoa's domain and errors that do not name the copy are returned unchanged.
    func retell(_ error: any Error) -> any Error {
        let told = error as NSError
        guard told.domain == NSCocoaErrorDomain, let info = retold(told.userInfo) else { return error }
        return BrieflyPrintedError(domain: told.domain, code: told.code, userInfo: info)
    }

    /// Returns user info with the URL replaced; nil if no value names the copy.
    private func retold(_ info: [String: Any]) -> [String: Any]? {
        let changed = info.compactMapValues(retold)
        return changed.isEmpty ? nil : info.merging(changed) { $1 }
    }

    private func retold(_ value: Any) -> Any? {
        switch value {
        case let text as String:
            let changed = text.replacing(copy.absoluteString, with: store.absoluteString)
                .replacing(copy.path, with: store.path)
            return changed == text ? nil : changed
        case let url as URL:
            guard url.isFileURL, url.path.hasPrefix(copy.path) else { return nil }
            return URL(fileURLWithPath: store.path + url.path.dropFirst(copy.path.count))
        case let error as NSError:
            guard error.domain == NSCocoaErrorDomain, let info = retold(error.userInfo) else { return nil }
            return BrieflyPrintedError(domain: error.domain, code: error.code, userInfo: info)
        case let errors as [NSError]:
            let changed = errors.map { retold($0) as? NSError ?? $0 }
            return zip(changed, errors).contains { $0 !== $1 } ? changed : nil
        default: return nil
        }
    }
}
