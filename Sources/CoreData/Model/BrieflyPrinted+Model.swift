extension NSManagedObjectModel: BrieflyPrinted {
    var briefDescription: String { "<NSManagedObjectModel of \(ErrorText.counted(entities.count, "entity"))>" }
}

extension NSEntityDescription: BrieflyPrinted {
    var briefDescription: String { "<NSEntityDescription \(name ?? "")>" }
}
