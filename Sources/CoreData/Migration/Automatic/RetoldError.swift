import CoreDataRowStorage
import Foundation

/// Errors about a copy of a store that is worked on beside it, told of the store itself: the copy is gone when they are read.
struct RetoldError {
    /// Where the copy was.
    let copy: URL
    /// The store the program knows.
    let store: URL

    /// The error with the store's place for the copy's in its texts, paths and URLs and in those of the errors behind it.
    /// Errors of the program itself, and those that do not name the copy, stay what they are.
    func retell(_ error: any Error) -> any Error {
        let told = error as NSError
        guard told.domain == NSCocoaErrorDomain, let info = retold(told.userInfo) else { return error }
        return BrieflyPrintedError(domain: told.domain, code: told.code, userInfo: info)
    }

    /// nil where nothing names the copy.
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
