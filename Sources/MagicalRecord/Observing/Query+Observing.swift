import CoreData

extension MagicalRecord.Query {
    /// Observes the results as objects, on the main actor: the first list comes soon, another after every change that matters.
    ///
    /// ```swift
    /// for try await friends in User.where(\.isFriend == true).sorted(by: \.displayName).observeObjects() { … }
    /// ```
    /// Costs one fetch at the beginning. After a change, a sorted query without a limit examines the changed objects, and those
    /// that depend on one through relationships; a query with a limit or without an order is fetched again, as is one that
    /// follows relationships without an inverse.
    ///
    /// - Parameter context: the main-queue context to observe; without one, the default stack's main context.
    /// - Returns: a sequence for the main actor; mistakes in the query are thrown when it is iterated.
    @MainActor
    public func observeObjects(in context: NSManagedObjectContext? = nil) -> MagicalRecord.LiveResults<Object> {
        MagicalRecord.LiveResults(ResultsQuestion(query: self), in: context)
    }

    /// Observes the results as objects, as ``observeObjects(in:)``, in sections of objects that share the value of a property.
    /// They are sorted by it first.
    @MainActor
    public func observeObjects<Section>(
        sectionedBy section: KeyPath<Object, Section>, in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveResults<Object> {
        MagicalRecord.LiveResults(
            ResultsQuestion(query: self, section: KeyPathName.of(section).map { $0 }), in: context)
    }

    /// Observes values made of the results, for any task and any context.
    ///
    /// ```swift
    /// for try await friends in User.where(\.isFriend == true).observe({ $0.map(Friend.init) }) { … }
    /// ```
    /// Costs what ``observeObjects(in:)`` costs, and a call of `mapping` for each value that is taken.
    ///
    /// - Parameters:
    ///   - context: the context to observe; without one, the default stack's main context, from every thread.
    ///   - mapping: makes a value of a list, on the context's queue. Objects stay there.
    /// - Returns: a sequence; mistakes in the query, and what `mapping` throws, are thrown when it is iterated.
    public func observe<Value: Sendable>(
        in context: NSManagedObjectContext? = nil,
        _ mapping: @escaping @Sendable (MagicalRecord.ResultList<Object>) throws -> Value
    ) -> MagicalRecord.LiveValues<Value> {
        let question = ResultsQuestion(query: self)
        return MagicalRecord.LiveValues(in: context) { ResultsSource(question, mapping) }
    }

    /// Observes values made of the results, as ``observe(in:_:)``, in sections of objects that share the value of a property.
    /// They are sorted by it first.
    public func observe<Section, Value: Sendable>(
        sectionedBy section: KeyPath<Object, Section>, in context: NSManagedObjectContext? = nil,
        _ mapping: @escaping @Sendable (MagicalRecord.ResultList<Object>) throws -> Value
    ) -> MagicalRecord.LiveValues<Value> {
        let question = ResultsQuestion(query: self, section: KeyPathName.of(section).map { $0 })
        return MagicalRecord.LiveValues(in: context) { ResultsSource(question, mapping) }
    }

    // MARK: Sections

    /// Observes the results as sections of objects that share a key, on the main actor.
    ///
    /// ```swift
    /// for try await sections in User.sorted(by: \.displayName).observeSections(by: \.team?.name) { show(sections) }
    /// ```
    /// The sections are those of ``sections(by:in:)``, and the changes those that ``observeObjects(in:)`` follows. A computed key
    /// may depend on any object of the context: after a change of any, the keys of all results are read again. Costs what
    /// ``observeObjects(in:)`` costs, and reading the key of every result after each change that matters.
    ///
    /// - Parameters:
    ///   - key: a stored attribute, also of a related object, or a computed property.
    ///   - context: the main-queue context to observe; without one, the default stack's main context.
    /// - Returns: a sequence for the main actor; mistakes in the query are thrown when it is iterated.
    @MainActor
    public func observeSections<Key: Hashable>(
        by key: KeyPath<Object, Key>, in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveSections<Key, Object> { MagicalRecord.LiveSections(self, by: key, in: context) }

    /// Observes values made of sections, as ``observeSections(by:in:)``, for any task and any context.
    ///
    /// ```swift
    /// let sizes = User.all.observeSections(by: \.countryCode) { $0.map { [$0.key: $0.count] } }
    /// ```
    /// - Parameters:
    ///   - key: a stored attribute, also of a related object, or a computed property.
    ///   - context: the context to observe; without one, the default stack's main context, from every thread.
    ///   - mapping: makes a value of the sections, on the context's queue. Objects stay there.
    /// - Returns: a sequence; mistakes in the query, and what `mapping` throws, are thrown when it is iterated.
    public func observeSections<Key: Hashable, Value: Sendable>(
        by key: KeyPath<Object, Key>, in context: NSManagedObjectContext? = nil,
        _ mapping: @escaping @Sendable ([MagicalRecord.Section<Key, Object>]) throws -> Value
    ) -> MagicalRecord.LiveValues<Value> {
        MagicalRecord.LiveValues(in: context, ResultsSource.ofSections(self, by: key, mapping))
    }

    // MARK: Numbers

    /// Observes the number of objects: it comes soon, and again whenever it has changed.
    ///
    /// Costs one count, answered by the store, at the beginning and after changes of objects that may count, however many come
    /// together. Unsaved changes of the context count unless the query leaves them out; saves of other contexts count at once.
    /// Observes the context that ``observe(in:_:)`` would; mistakes in the query are thrown by the iteration.
    public func observeCount(in context: NSManagedObjectContext? = nil) -> MagicalRecord.LiveValues<Int> {
        var query = self
        query.order = []
        return MagicalRecord.LiveValues(in: context) { [query] in
            NumberSource(ResultsQuestion(query: query)) { try query.count(in: $0) }
        }
    }

    /// Observes the sum of an attribute: it comes soon, and again whenever it has changed.
    ///
    /// Costs one sum, computed by the store, at the beginning and after changes of objects that may count. Unsaved changes are
    /// not seen, as by ``sum(of:in:)``, and iteration throws what that throws. Observes the context that ``observe(in:_:)`` would.
    public func observeSum<Number: MagicalRecord.NumericAttribute>(
        of attribute: KeyPath<Object, Number>, in context: NSManagedObjectContext? = nil
    ) -> MagicalRecord.LiveValues<Number.Sum> {
        var query = self
        query.order = []
        let question = ResultsQuestion(query: query, section: KeyPathName.of(attribute).map { $0 })
        // Key paths never change, and a property's holds nothing but the property.
        let attribute = Unchecked(attribute)
        return MagicalRecord.LiveValues(in: context) {
            NumberSource(question) { try question.query.sum(of: attribute.value, in: $0) }
        }
    }
}
