import Foundation
import ModelFormat

extension Target {
    static let mappingModels = Target(
        name: "mapping-models",
        words: ["$objects", "$class", "NSEntityMappings", "NSValueExpression", "NSAttributeMappings"],
        seeds: { [sampleMapping.archive()] },
        read: { data in
            let mapping = try MappingModel(archive: data)
            _ = mapping.warnings()
            let archive = mapping.archive()
            do { _ = try MappingModel(archive: archive) } catch {
                fatalError("A mapping's archive cannot be read: \(error)")
            }
        })

    static let mappingSources = Target(
        name: "mapping-sources",
        words: [
            "<object type=\"", "<attribute name=\"", "<relationship name=\"", "idrefs=\"", "XDDEVENTITYMAPPING",
            "XDDEVATTRIBUTEMAPPING", "XDDEVRELATIONSHIPMAPPING", "valueexpression", "type=\"binary\"",
        ],
        seeds: { [Data(mappingSource)] },
        read: { data in
            let document = try MappingDocument(xml: data)
            _ = document.warnings()
            let model = sampleModel
            for mapping in [try? document.compiled(), try? document.compiled(source: model, destination: model)] {
                _ = mapping?.archive()
            }
        })

    private static let sampleMapping: MappingModel = {
        var entity = EntityMapping(name: "EToF", kind: .custom)
        entity.sourceEntityName = "E"
        entity.destinationEntityName = "F"
        entity.sourceExpression = .fetch(
            request: .function("f:", target: .variable("manager"), arguments: [.constant("E")]),
            context: .keyPath("sourceContext", of: .variable("manager")), countOnly: false)
        entity.attributeMappings = [PropertyMapping(name: "a0", valueExpression: AnyText.parts)]
        entity.relationshipMappings = [PropertyMapping(name: "peers", valueExpression: .keyPath("peers"))]
        entity.userInfo = ["k": .array(["v"])]
        return MappingModel(entityMappings: [entity, EntityMapping(name: "Copy", kind: .copy)])
    }()

    private static let mappingSource = """
        <database><object type="XDDEVMAPPINGMODEL" id="z1"><relationship name="entitymappings" idrefs="z2"/></object>
        <object type="XDDEVENTITYMAPPING" id="z2"><attribute name="sourcename" type="string">E</attribute>
        <attribute name="destinationname" type="string">E</attribute><attribute name="mappingnumber" type="int16">1</attribute>
        <relationship name="attributemappings" idrefs="z3"/><relationship name="relationshipmappings" idrefs="z4"/></object>
        <object type="XDDEVATTRIBUTEMAPPING" id="z3"><attribute name="name" type="string">a0</attribute></object>
        <object type="XDDEVRELATIONSHIPMAPPING" id="z4"><attribute name="name" type="string">peers</attribute></object>
        </database>
        """
}
