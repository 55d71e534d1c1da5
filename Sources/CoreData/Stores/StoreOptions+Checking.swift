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

    /// Validates the options that this framework knows; unknown options are ignored.
    ///
    /// - Throws: `NSPersistentStoreOpenError` naming the option with an invalid value.
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
        let interval = NSPersistentStoreRemoteChangeIntervalKey
        if self[interval] != nil, !((number(interval) ?? 0) > 0) {
            throw unusable(interval, "a number of seconds, more than zero", url)
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

    /// The options that are accepted for stores of every type.
    private static let common: Set<String> = [
        NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
        NSMigratePersistentStoresBackwardOption, NSPersistentStoreStagedMigrationManagerOptionKey,
        NSPersistentStoreDeferredLightweightMigrationOptionKey, NSReadOnlyPersistentStoreOption,
        NSPersistentStoreTimeoutOption, NSIgnorePersistentStoreVersioningOption, NSPersistentStoreForceDestroyOption,
        NSPersistentStoreFileProtectionKey,
    ]

    /// Checks that a store class supports all options.
    ///
    /// - Throws: `NSPersistentStoreOpenError` naming the options that it does not support.
    func requireKnown(to storeClass: NSPersistentStore.Type, type: String, at url: URL) throws {
        guard let own = storeClass.optionNames else { return }
        var known = Self.common.union(own)
        if storeClass.abilities.contains(.history) { known.insert(NSPersistentHistoryTrackingKey) }
        if storeClass.abilities.contains(.remoteChanges) {
            known.insert(NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        }
        // An unknown option with the value false is harmless.
        let unknown = names.filter { !known.contains($0) && !(isFlag(self[$0] ?? "") && !flag($0)) }.sorted()
        guard !unknown.isEmpty else { return }
        throw CoreDataError.make(
            NSPersistentStoreOpenError, description: "The store could not be opened.",
            reason: "Stores of the type \(type) do not know the option \(unknown.joined(separator: ", ")).",
            advice: "Leave it out. "
                + (own.isEmpty
                    ? "They have no options of their own."
                    : "Their own options are \(own.sorted().joined(separator: ", "))."),
            userInfo: [NSURLErrorKey: url])
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
