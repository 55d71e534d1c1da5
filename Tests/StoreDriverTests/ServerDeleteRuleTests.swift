import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Batch deletes of objects that others refer to, where the delete rule is No Action.
@Suite("Batch deletes with the rule No Action")
struct ServerDeleteRuleTests {
    private static func model() -> NSManagedObjectModel {
        let (club, member) = (LibraryModel.entity("Club"), LibraryModel.entity("Member"))
        let (members, home) = (NSRelationshipDescription(), NSRelationshipDescription())
        (members.name, members.destinationEntity, members.maxCount) = ("members", member, 0)
        (home.name, home.destinationEntity, home.maxCount) = ("home", club, 1)
        (members.inverseRelationship, home.inverseRelationship) = (home, members)
        (members.isOptional, home.isOptional) = (true, true)
        (members.deleteRule, home.deleteRule) = (.noActionDeleteRule, .nullifyDeleteRule)
        club.properties = [LibraryModel.attribute("name", .stringAttributeType), members]
        member.properties = [LibraryModel.attribute("name", .stringAttributeType), home]
        let model = NSManagedObjectModel()
        model.entities = [club, member]
        return model
    }

    /// SQLite leaves references to deleted rows, which lead to no object; PostgreSQL's foreign keys clear them.
    @Test(arguments: StoreKind.allCases.filter { $0 != .memory })
    func `Objects that referred to deleted ones stay, without a destination`(_ kind: StoreKind) throws {
        let place = try kind.makePlace()
        defer { place.remove() }
        let url = try #require(place.url)
        let container = try ToyStores.container(Self.model(), at: url)
        let context = container.newBackgroundContext()
        try context.performAndWait { () throws in
            for name in ["a", "b"] {
                let club = NSEntityDescription.insertNewObject(forEntityName: "Club", into: context)
                club.setValue(name, forKey: "name")
                let member = NSEntityDescription.insertNewObject(forEntityName: "Member", into: context)
                member.setValue("in \(name)", forKey: "name")
                member.setValue(club, forKey: "home")
            }
            try context.save()
            context.reset()
            let found = NSFetchRequest<any NSFetchRequestResult>(entityName: "Club")
            found.predicate = NSPredicate(format: "name == 'a'")
            try context.execute(NSBatchDeleteRequest(fetchRequest: found))
            let clubs = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Club"))
            #expect(clubs.map { $0.value(forKey: "name") as? String } == ["b"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Member")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let members = try context.fetch(request)
            #expect(members.map { $0.value(forKey: "name") as? String } == ["in a", "in b"])
            let homes = members.map { ($0.value(forKey: "home") as? NSManagedObject)?.value(forKey: "name") as? String }
            #expect(homes == [nil, "b"])
            if kind == .postgreSQL { #expect(members[0].value(forKey: "home") == nil) }
            members[0].setValue("free", forKey: "name")
            try context.save()
        }
    }
}
