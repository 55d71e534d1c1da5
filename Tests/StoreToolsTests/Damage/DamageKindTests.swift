import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// The test bed itself: the stores are healthy, and the damage is real.
@Suite("Damage") struct DamageKindTests {
    @Test(arguments: DamageShape.all) func undamagedStoresAreIntact(_ shape: DamageShape) throws {
        let store = try DamageStore.of(shape)
        let folder = try TemporaryFolder()
        let sql = try DamageSQL(try store.files.write(to: folder.url))
        let result = try sql.texts("PRAGMA integrity_check")
        #expect(result == ["ok"])
        #expect(store.snapshot.objects.count == store.rows.keys.values.map(\.count).reduce(0, +))
    }

    @Test(arguments: DamageKind.all) func everyKindDamagesAShape(_ kind: DamageKind) throws {
        var applied: [String] = []
        for shape in DamageShape.all where !shape.isLarge {
            let store = try DamageStore.of(shape)
            guard let files = try kind.damaged(store, seed: 1) else { continue }
            #expect(files.files != store.files.files, "\(kind.name) changes nothing in \(shape.name)")
            applied.append(shape.name)
            // The matrix of the long form has them all.
            if !LongForm.isWanted { break }
        }
        #expect(!applied.isEmpty)
    }
}
