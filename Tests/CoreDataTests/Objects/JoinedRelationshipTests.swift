import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// The collection operators over relationships of managed objects.
struct JoinedRelationshipTests {
    @Test func membersOfSeveralRelationshipsAreJoined() throws {
        let store = try MigrationStore()
        try store.open(Versions.first()) { context in
            Versions.fill(context)
            try context.save()
            let chess = try context.one("Club", "title", "Chess")
            // Each member gives its clubs.
            #expect(count(chess.value(forKeyPath: "members.@distinctUnionOfSets.clubs")) == 2)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            let people = try context.fetch(request)
            let expression = NSExpression(format: "SELF.@distinctUnionOfSets.clubs")
            #expect(count(expression.expressionValue(with: people, context: nil)) == 2)
        }
    }

    private func count(_ value: Any?) -> Int? { (value as? NSSet)?.count ?? (value as? any Collection)?.count }
}
