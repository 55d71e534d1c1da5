import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

extension StoreOptions {
    private static let flags = [
        NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
        NSReadOnlyPersistentStoreOption, NSPersistentHistoryTrackingKey,
        NSPersistentStoreRemoteChangeNotificationPostOptionKey, NSIgnorePersistentStoreVersioningOption,
        NSSQLiteAnalyzeOption, NSSQLiteManualVacuumOption, NSPersistentStoreForceDestroyOption,
        NSPersistentStoreDeferredLightweightMigrationOptionKey, NSBinaryStoreInsecureDecodingCompatibilityOption,
        NSValidateXMLStoreOption,
    ]

    /// Checks the options this framework knows; others are nobody's business.
    ///
    /// - Throws: `NSPersistentStoreOpenError` naming the option whose value is of no use.
    func check(at url: URL) throws {
        // History may also be configured with a dictionary.
        for key in Self.flags {
            guard let value = self[key], !isFlag(value), !(value is NSDictionary) else { continue }
            throw unusable(key, "true or false", url)
        }
        if self[NSPersistentStoreTimeoutOption] != nil, (number(NSPersistentStoreTimeoutOption) ?? -1) < 0 {
            throw unusable(NSPersistentStoreTimeoutOption, "a number of seconds, zero or more", url)
        }
        let size = NSPersistentStoreConnectionPoolMaxSizeKey
        if self[size] != nil, (number(size) ?? 0) < 1 {
            throw unusable(size, "a number of connections, one or more", url)
        }
        let stages = NSPersistentStoreStagedMigrationManagerOptionKey
        if let value = self[stages], !(value is NSStagedMigrationManager) {
            throw unusable(stages, "an NSStagedMigrationManager", url)
        }
        if pragmas.isEmpty, let pragmas = self[NSSQLitePragmasOption], !(ClassInstance.of(pragmas) is NSDictionary),
            (pragmas as? [AnyHashable: Any]) == nil
        {
            throw unusable(NSSQLitePragmasOption, "a dictionary of texts, such as [\"synchronous\": \"FULL\"]", url)
        }
    }

    private func isFlag(_ value: Any) -> Bool {
        if ClassInstance.of(value) is NSNumber { return true }
        return switch value {
        case is Bool, is NSNumber, is Int: true
        case let text as String:
            ["yes", "no", "true", "false", "1", "0", "y", "n", "t", "f"].contains(text.lowercased())
        default: false
        }
    }

    private func unusable(_ key: String, _ wanted: String, _ url: URL) -> NSError {
        CoreDataError.make(
            NSPersistentStoreOpenError, description: "The store could not be opened.",
            reason: "The option \(key) has the value “\(self[key] ?? "nil")”.", advice: "Give it \(wanted).",
            userInfo: [NSURLErrorKey: url, NSFilePathErrorKey: url.path])
    }
}
