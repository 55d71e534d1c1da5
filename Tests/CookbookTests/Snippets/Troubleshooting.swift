import MagicalRecord

enum TroubleshootingSnippets {
    static func friends(above limit: Double) throws -> [User] {
        // snippet
        let highest = Int64(limit)
        return try User.findAll(where: { $0.isFriend && $0.userID > highest && $0.displayName == "Ann" })
        // end
    }

    static func misspeltKeys() throws -> [User?] {
        // snippet
        let ann = try User.findFirst(where: { $0.displayName == "Ann" })
        let same = try User.findFirst(where: \User.displayName == "Ann")
        // end
        return [ann, same]
    }

    static func withoutKeyPathStrings() throws -> ([User], NSFetchRequest<any NSFetchRequestResult>) {
        // snippet
        let anns = try User.findAll(where: \.displayName == "Ann")
        let request = User.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(keyPath: \User.displayName, ascending: true)]
        request.predicate = NSPredicate(format: "%K == %@", "displayName", "Ann")
        // end
        return (anns, request)
    }
}
