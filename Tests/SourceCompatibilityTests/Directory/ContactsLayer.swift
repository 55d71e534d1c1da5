import CoreData
import Foundation
import MagicalRecord

/// What an application wraps around MagicalRecord: imports, searches, sections for a table, sums, and clearing out.
final class ContactsLayer: NSObject, NSFetchedResultsControllerDelegate {
    private(set) var changes = 0

    func load(_ records: [[String: Any]], completion: @escaping @Sendable (Bool, Error?) -> Void) {
        // Dictionaries of JSON, which nobody changes.
        nonisolated(unsafe) let records = records
        MagicalRecord.save(
            { localContext in
                User.mr_import(from: records as [[AnyHashable: Any]], in: localContext)
            },
            completion: { contextDidSave, error in
                completion(contextDidSave, error)
            })
    }

    func sections() -> MRFetchedResultsController {
        let controller = User.mr_fetchAllGrouped(
            by: "country_code", with: NSPredicate(format: "user_name != nil"), sortedBy: "country_code,user_name",
            ascending: true, delegate: self)
        return controller
    }

    func totalBalance(of countryCode: Int) -> Double {
        let sum = User.mr_aggregateOperation(
            "sum:", onAttribute: "balance", with: NSPredicate(format: "country_code = %ld", countryCode))
        return (sum as? NSNumber)?.doubleValue ?? 0
    }

    func rename(_ userID: Int, to name: String) {
        MagicalRecord.save(blockAndWait: { localContext in
            let user = User.mr_findFirstOrCreate(
                byAttribute: "user_id", withValue: NSNumber(value: userID), in: localContext)
            user.display_name = name
        })
    }

    func forgetEverybody() {
        MagicalRecord.save(blockAndWait: { localContext in
            User.mr_truncateAll(in: localContext)
        })
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        changes += 1
    }
}
