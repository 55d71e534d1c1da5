import MagicalRecord

// What a condition, an order or a computation says is checked against the class.

private enum Names {
    static func inACondition() throws {
        // error: value of type 'MagicalRecord.Columns<User>' has no dynamic member 'displayNam'
        _ = try User.findAll(where: { $0.displayNam == "Ann" })
    }

    static func behindARelationship() throws {
        // error: value of type 'MagicalRecord.Column<User, Team?>' has no dynamic member 'nam'
        _ = try User.findAll(where: { $0.team.nam == "Red" })
    }

    static func inAKeyPathCondition() throws {
        let isAnn: MagicalRecord.Condition<User>
        // error: value of type 'User' has no member 'displayNam'
        isAnn = \User.displayNam == "Ann"
        _ = isAnn
    }

    static func inAShortCondition() throws {
        // error: cannot infer key path type from context; consider explicitly specifying a root type
        // error: cannot convert value of type 'KeyPath<Root, Value>' to expected argument type
        _ = try User.findFirst(where: \.displayNam == "Ann")
    }

    /// The root, added as the message of the short form advises, gives the message above.
    static func inAnOrder() throws {
        // error: cannot infer key path type from context; consider explicitly specifying a root type
        // error: cannot convert value of type 'KeyPath<Root, Value>' to expected argument type
        _ = try User.findAll(sortedBy: \.displayNam)
        // error: type 'User' has no member 'displayNam'
        _ = try User.findAll(sortedBy: \User.displayNam)
    }

    static func inASection() throws {
        // error: value of type 'User' has no member 'displayNam'
        _ = try User.all.count(by: \.displayNam)
    }
}

private enum Values {
    static func ofAnotherType() throws {
        // error: binary operator '==' cannot be applied to operands of type 'MagicalRecord.Column<User, Int64>' and 'String'
        _ = try User.findAll(where: { $0.userID == "seven" })
    }

    static func ofAnotherTypeBehindAKeyPath() throws {
        // error: binary operator '==' cannot be applied to operands of type 'any KeyPath<User, Int64> & Sendable' and 'String'
        _ = try User.findAll(where: \.userID == "seven")
    }

    static func numbersForText() throws {
        // error: binary operator '>' cannot be applied to operands of type 'MagicalRecord.Column<User, String?>' and 'Int'
        _ = try User.findAll(where: { $0.displayName > 3 })
    }

    static func textForACount() throws {
        // error: binary operator '>' cannot be applied to operands of type 'MagicalRecord.Column<User, Int?>' and 'String'
        _ = try User.findAll(where: { $0.isFriend && $0.messages.count > "3" })
    }

    static func numbersForObjects() throws {
        // error: binary operator '==' cannot be applied to operands of type 'MagicalRecord.Column<User, Team?>' and 'Int'
        _ = try User.findAll(where: { $0.team == 3 })
    }

    static func textAsACondition() throws {
        // error: requires that 'String' conform to 'MagicalRecord._TruthValue'
        _ = try User.findAll(where: { $0.displayName })
    }

    static func textForANumberInABatch() throws {
        // error: cannot convert value of type 'String' to expected argument type 'Double'
        _ = try User.all.batchUpdate(.set(\.balance, to: "much"))
    }
}

private enum Computing {
    static func theSumOfText() throws {
        // error: requires that 'String' conform to 'MagicalRecord.NumericAttribute'
        _ = try User.all.sum(of: \.displayName)
    }

    static func theSumOfTextOverTime() {
        // error: requires that 'String' conform to 'MagicalRecord.NumericAttribute'
        _ = User.all.observeSum(of: \.displayName)
    }

    static func theSumOfTextOfAQuery() throws {
        // error: requires that 'String' conform to 'MagicalRecord.NumericAttribute'
        _ = try User.where { $0.isFriend }.sum(of: \.displayName)
    }

    static func relationshipsAsValues() throws {
        // error: requires that 'Team' conform to 'MagicalRecord.AttributeValue'
        _ = try User.all.values(of: \.team)
    }
}
