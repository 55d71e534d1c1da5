#if canImport(CoreDataSQLiteStorage)
import CCoreDataSQLite
import CoreDataRowStorage
import Foundation

extension StoreToolError {
    /// Creates the error for one of the storage engine, or of the translation of a query.
    init(_ error: any Error, url: URL) {
        if let error = error as? StoreToolError {
            self = error
            return
        }
        let name = url.lastPathComponent
        let error = error as NSError
        let reason = (error.localizedFailureReason ?? error.localizedDescription).asSentence
        let advice = error.localizedRecoverySuggestion
        if error.userInfo["NSExceptionName"] != nil
            || error.code == NSCoreDataError && error.domain == NSCocoaErrorDomain
        {
            self.init(.invalidQuery, "The query cannot be translated: \(reason)", advice: advice, url: url)
        } else if let code = error.userInfo[NSSQLiteErrorDomain] as? Int {
            let isBusy = code == Int(SQLITE_BUSY) || code == Int(SQLITE_LOCKED) || code == Int(SQLITE_PERM)
            self.init(
                isBusy ? .unavailable : .failed, "The store \(name) cannot be read: \(reason)",
                advice: isBusy ? "Try again later." : "Check the store.", url: url, underlying: reason)
        } else if error.code == NSPersistentStoreIncompatibleSchemaError {
            self.init(
                .otherModel, "The tables of the store \(name) are not those of its model: \(reason)",
                advice: "Check the store, or pass the model that it was made with.", url: url)
        } else {
            self.init(
                .failed, "The store \(name) cannot be read: \(reason)", advice: advice, url: url,
                underlying: "\(error.domain) \(error.code)")
        }
    }
}

extension String {
    /// The text with a full stop at its end.
    fileprivate var asSentence: String {
        let text = trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty || ".!?".contains(text.last ?? ".") ? text : text + "."
    }
}
#endif
