import MagicalRecord

enum TroubleshootingSnippets {
    static func friends(above limit: Double) throws -> [User] {
        // snippet
        let highest = Int64(limit)
        return try User.findAll(where: { $0.isFriend && $0.userID > highest && $0.displayName == "Ann" })
        // end
    }
}
