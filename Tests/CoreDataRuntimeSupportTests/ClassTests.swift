import CoreDataRuntimeSupport
import Testing

open class Spoken {
    public init() {}
    open func word() -> String { "plain" }
    open func other() -> String { "other" }
}
open class SpokenPlainly: Spoken {}
open class SpokenLoudly: Spoken {
    open override func word() -> String { "LOUD" }
}
open class SpokenAtLength: Spoken {
    public final var length = 7
}

@Suite("Classes")
struct ClassTests {
    private final class Nested {}
    private final class Generic<Value> {}

    @Test("A method that a class overrides is found in its table, and in those of its subclasses")
    func overrides() throws {
        let base = try #require(ClassMetadata(Spoken.self))
        let plain = try #require(ClassMetadata(SpokenPlainly.self))
        let loud = try #require(ClassMetadata(SpokenLoudly.self))
        let methods = base.methods(overriddenBy: loud, butNotBy: plain, count: 1)
        let method = try #require(methods.first)
        #expect(plain.shares(method, with: base))
        #expect(!loud.shares(method, with: base))
        #expect(base.methods(overriddenBy: loud, butNotBy: plain, count: 2).isEmpty)
        #expect(base.methods(overriddenBy: loud, butNotBy: loud, count: 1).isEmpty)
    }

    @Test("Storage of classes is the same where they add none")
    func storage() {
        #expect(ClassAdoption.haveSameStorage(Spoken.self, SpokenLoudly.self))
        #expect(!ClassAdoption.haveSameStorage(Spoken.self, SpokenAtLength.self))
    }

    @Test("An object that adopts a class behaves as one of it")
    func adoption() {
        func make() -> Spoken {
            let object = Spoken()
            ClassAdoption.adopt(object, into: SpokenLoudly.self)
            return object
        }
        let object = make()
        #expect(object is SpokenLoudly)
        #expect(object.word() == "LOUD")
    }

    @Test("Names are those that the standard library gives; nested and generic classes have none")
    func names() {
        guard MemoryAssumption.allowsShortcuts else { return }
        #expect(ClassDescriptor(Spoken.self)?.name == _typeName(Spoken.self, qualified: true))
        #expect(ClassDescriptor(Nested.self)?.name == nil)
        #expect(ClassDescriptor(Generic<Int>.self)?.name == nil)
    }

    @Test("Classes of the program are found by their bare names")
    func program() {
        let found = ProgramClasses.all(named: "SpokenAtLength")
        #expect(found.map(\.module) == ["CoreDataRuntimeSupportTests"])
        #expect(found.first?.type == SpokenAtLength.self)
        #expect(ProgramClasses.all(named: "Nested").isEmpty)
        #expect(ProgramClasses.all(named: "NoSuchClass").isEmpty)
        #expect(ProgramClasses.imageCount > 0)
    }
}
