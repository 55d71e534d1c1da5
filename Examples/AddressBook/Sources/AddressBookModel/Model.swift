import MagicalRecord

extension MagicalRecord.ModelSource {
    /// The compiled model of users and messages.
    public static var addressBook: Self { .named("AddressBook", in: .module) }
}
