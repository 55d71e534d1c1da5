import CoreData
import CoreDataRowStorage
import Testing

@Suite("Names of tables and columns in user info")
struct DatabaseTraitsTests {
    private func attribute(_ name: String, _ userInfo: [AnyHashable: Any]?) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = .dateAttributeType
        attribute.userInfo = userInfo
        return attribute
    }

    @Test("are those of entities, attributes, relationships and elements of composites")
    func names() {
        let entity = NSEntityDescription()
        entity.name = "Person"
        entity.userInfo = ["postgresql.name": "people", "postgresql.schema": "office"]
        let friend = NSRelationshipDescription()
        friend.name = "friend"
        friend.maxCount = 1
        friend.userInfo = ["postgresql.name": "ally"]
        let home = NSCompositeAttributeDescription()
        home.name = "home"
        home.elements = [attribute("since", ["postgresql.name": "moved"])]
        entity.properties = [
            attribute("born", ["postgresql.name": "birth", "postgresql.type": "double precision"]),
            attribute("seen", ["postgresql.name": 7, "postgresql.type": ""]), attribute("left", nil), friend, home,
        ]
        #expect(entity.databaseTraits(at: []).name == "people")
        #expect(entity.databaseTraits(at: []).schema == "office")
        #expect(entity.databaseTraits(at: ["born"]).name == "birth")
        #expect(entity.databaseTraits(at: ["born"]).type == "double precision")
        #expect(entity.databaseTraits(at: ["friend"]).name == "ally")
        #expect(entity.databaseTraits(at: ["home"]) == DatabaseTraits())
        #expect(entity.databaseTraits(at: ["home", "since"]).name == "moved")
        for name in ["seen", "left", "unknown"] { #expect(entity.databaseTraits(at: [name]) == DatabaseTraits()) }
    }
}
