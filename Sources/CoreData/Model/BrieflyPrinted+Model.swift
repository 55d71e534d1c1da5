import CoreDataRowStorage

extension NSManagedObjectModel: BrieflyPrinted {
    package var briefDescription: String { "<NSManagedObjectModel of \(ErrorText.counted(entities.count, "entity"))>" }
}

extension NSEntityDescription: BrieflyPrinted {
    package var briefDescription: String { "<NSEntityDescription \(name ?? "")>" }
}
