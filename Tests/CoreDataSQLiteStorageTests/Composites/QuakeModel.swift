import CoreData
import CoreDataTestSupport

/// A quake has a magnitude of two elements and a place with a composite element; quakes belong to regions.
enum QuakeModel {
    static func composite(
        _ name: String, optional: Bool = true, _ elements: [NSAttributeDescription]
    ) -> NSCompositeAttributeDescription {
        let attribute = NSCompositeAttributeDescription()
        attribute.name = name
        attribute.isOptional = optional
        attribute.elements = elements
        return attribute
    }

    static func magnitude(_ name: String = "magnitude") -> NSCompositeAttributeDescription {
        composite(
            name,
            [
                LibraryModel.attribute("richter", .doubleAttributeType),
                LibraryModel.attribute("scale", .stringAttributeType),
            ])
    }

    static func quake() -> NSEntityDescription {
        let quake = LibraryModel.entity("Quake")
        let point = composite(
            "point",
            [LibraryModel.attribute("lat", .doubleAttributeType), LibraryModel.attribute("lon", .doubleAttributeType)])
        quake.properties = [
            LibraryModel.attribute("code", .stringAttributeType), magnitude(), magnitude("forecast"),
            composite("place", [LibraryModel.attribute("city", .stringAttributeType), point]),
        ]
        return quake
    }

    static func make(_ change: (NSEntityDescription) -> Void = { _ in }) -> NSManagedObjectModel {
        let quake = quake(), region = LibraryModel.entity("Region")
        region.properties = [LibraryModel.attribute("name", .stringAttributeType)]
        LibraryModel.relate(quake, "region", many: false, region, "quakes", many: true)
        change(quake)
        let model = NSManagedObjectModel()
        model.entities = [quake, region]
        return model
    }

    /// A model of quakes alone with these constraints.
    static func unique(_ constraints: [[Any]]) -> NSManagedObjectModel {
        make { $0.uniquenessConstraints = constraints }
    }
}

extension NSEntityDescription {
    /// An element of a composite attribute.
    func element(_ composite: String, _ name: String) -> NSAttributeDescription {
        (attributesByName[composite] as! NSCompositeAttributeDescription).elements.first { $0.name == name }!
    }
}
