import CoreData
import MagicalRecord
import MagicalRecordObjC

final class User: NSManagedObject {
    func shouldImport(_ data: Any) -> Bool { true }
}

func everyNameOnce(context: NSManagedObjectContext) {
    let text: String = kMagicalRecordImportUnixTimeString
    let name = Notification.Name.magicalRecordCleanedUp
    let request = User.mr_requestAll(in: context)
    let options: MRSaveOptions = [.parentContexts, .synchronously]
    let block: CoreDataBlock = { _ in }
    let tag = MagicalRecordVersionTag.tag2_3
    context.mr_save(options: options)
    User.mr_findAllSorted(by: "name", ascending: true, in: context)
    let object: User? = User.mr_findFirst(with: nil, sortedBy: "name", ascending: true, in: context)
    let date = MR_dateFromString(text, "yyyy")
    let number = MagicalRecordVersionNumber
    MagicalRecord.setLoggingLevel(.off)
    _ = (name, request, block, tag, object, date, number, MagicalRecord.version() == .tag2_4)
    _ = kMagicalRecordPSCMismatchDidDeleteStore
}
