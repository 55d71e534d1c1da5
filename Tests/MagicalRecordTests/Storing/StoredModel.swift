import Foundation
import MagicalRecord

enum JobProgress: Int { case open, doing, done }
/// Also `Codable`: its raw value is what is stored.
enum JobMood: String, Codable { case calm, wild }
struct JobAddress: Codable, Equatable {
    var street: String
    var city: String
    var since: Date?
}
/// The second raw value does not fit 16 bits.
enum JobSize: Int { case small = 1, huge = 100_000 }
struct JobPlace: Codable, Hashable {
    var name: String
    var isInside: Bool
    var floor: Int?
    var since: Date?
}
/// Encodes to nothing that JSON can hold.
struct JobRatio: Codable { var value: Double }

final class JobTeam: NSManagedObject {
    @Stored("mood") var mood: JobMood?
    @Stored("progress") var progress: JobProgress = .open
    #if canImport(ObjectiveC)
    @NSManaged var number: Int64
    #endif
}

class StoredJob: NSManagedObject {
    @Stored("progress") var progress: JobProgress = .open
    @Stored("former") var former: JobProgress?
    @Stored("mood") var mood: JobMood = .wild
    @Stored("address") var address: JobAddress?
    @Stored("text") var textAddress: JobAddress? = nil
    @Stored("tags") var tags: [String] = ["new"]
    @Stored("place") var place: JobPlace?
    @Stored("ratio") var ratio: JobRatio?
    @Stored("size") var size: JobSize = .small
    @Stored("labels") var labels: Set<String> = []
    // Other types for the members of the place.
    @Stored("place") var numbers: [String: Double]?
    @Stored("place") var truths: [String: Bool]?
    #if canImport(ObjectiveC)
    @NSManaged var number: Int64
    @NSManaged var team: JobTeam?
    #endif

    var isOpen: Bool { progress == .open }
    var opposite: JobProgress { progress == .open ? .done : .open }
}

final class StoredErrand: StoredJob {
    @Stored("distance") var distance: JobProgress?
}

#if !canImport(ObjectiveC)
// What the model plugin writes for an app's classes.

extension JobTeam {
    var number: Int64 {
        get { managedValue(ManagedProperty("number")) }
        set { setManagedValue(newValue, for: ManagedProperty("number")) }
    }
}

extension StoredJob {
    var number: Int64 {
        get { managedValue(ManagedProperty("number")) }
        set { setManagedValue(newValue, for: ManagedProperty("number")) }
    }
    var team: JobTeam? {
        get { managedValue(ManagedProperty("team")) }
        set { setManagedValue(newValue, for: ManagedProperty("team")) }
    }
}
#endif

enum StoredModel {
    static func make() -> NSManagedObjectModel {
        let team = Build.entity("JobTeam", class: JobTeam.self)
        let job = Build.entity("StoredJob", class: StoredJob.self)
        let errand = Build.entity("StoredErrand", class: StoredErrand.self)
        team.properties = [
            Build.attribute("number", .integer64AttributeType, default: 0),
            Build.attribute("mood", .stringAttributeType), Build.attribute("progress", .integer16AttributeType),
        ]
        job.properties = [
            Build.attribute("number", .integer64AttributeType, default: 0, info: ["mappedKeyName": "id"]),
            // Default and initial value differ in `mood` alone.
            Build.attribute("progress", .integer16AttributeType),
            Build.attribute("former", .integer32AttributeType),
            Build.attribute("mood", .stringAttributeType, default: "calm"),
            Build.attribute("address", .binaryDataAttributeType),
            Build.attribute("text", .stringAttributeType),
            Build.attribute("tags", .binaryDataAttributeType),
            Build.attribute("ratio", .stringAttributeType),
            Build.attribute("size", .integer16AttributeType),
            Build.attribute("labels", .binaryDataAttributeType),
        ]
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) {
            let place = NSCompositeAttributeDescription()
            place.name = "place"
            place.elements = [
                Build.attribute("name", .stringAttributeType), Build.attribute("isInside", .booleanAttributeType),
                Build.attribute("floor", .integer16AttributeType), Build.attribute("since", .dateAttributeType),
            ]
            job.properties.append(place)
        }
        Build.inverse(
            Build.relationship("team", of: job, to: team), Build.relationship("jobs", of: team, to: job, many: true))
        errand.properties = [Build.attribute("distance", .integer64AttributeType)]
        job.subentities = [errand]
        return Build.model(team, job, errand)
    }

    static func stack() throws -> MagicalRecord.Stack {
        try MagicalRecord.Stack(
            [ScratchStores.new("Jobs.sqlite")], shape: .server, model: .model(make()))
    }

    /// Runs a closure with a new object.
    static func withJob(_ body: (StoredJob) -> Void) throws {
        let stack = try stack()
        let context = stack.newContext()
        try context.runAndWait { body(try StoredJob.create(in: context)) }
    }
}
