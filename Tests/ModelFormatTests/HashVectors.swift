/// Entities and the version hashes Apple's framework stored for them.
///
/// A vector is three or more lines: `Entity [abstract] [: Parent] [modifier="…"] [unique=(a,b) (c)]`, the hash in hex,
/// then one line per own property. `?` means optional; `name: type` is an attribute, `name -> Entity.inverse min..max` a
/// relationship. Vectors are separated by empty lines, and a parent stands before its children.
let hashVectors = """
    Author
    cbc1f5c274ebf414474c4e350f73b14b1dd356c22782ae7488810d597188c46d
    books -> Book.authors 0..0?
    firstName: string?
    lastName: string?

    Book
    292c923e48c2cbeea5a113bb7685fbc63ab800c0bbc242ad17a0f2e2a1e08f5c
    authors -> Author.books 0..0?
    title: string?

    SyncFeatureEntity unique=(name)
    289b89703a3216afe973a07e1889534d8650777e44ef899930569c6721eac357
    lastModified: string?
    name: string
    state: string?

    SyncableSettingsMetadata unique=(key)
    d3b4d556db699538ab922ef424e5a35caa7ed626f29a1d8f03bf509c3d737c2d
    key: string
    lastModified: date?

    BookmarkEntity
    c37ad9b31a1ce3faf258164444717a730317dee04efa4191d31086d2179f9c20
    children -> BookmarkEntity.parent 0..0? ordered
    favoriteFolder -> BookmarkEntity.favorites 0..1?
    favorites -> BookmarkEntity.favoriteFolder 0..0? ordered
    isFavorite: bool
    isFolder: bool
    parent -> BookmarkEntity.children 0..1?
    title: string?
    url: string?
    uuid: string

    BookmarkEntity
    84f07c047d39108d666df9d08af728b3197383bda698febf3b90997db4fd5929
    children -> BookmarkEntity.parent 0..0? ordered
    favoriteFolders -> BookmarkEntity.favorites 0..0?
    favorites -> BookmarkEntity.favoriteFolders 0..0? ordered
    isFolder: bool
    isPendingDeletion: bool? modifier="3"
    lastChildrenPayloadReceivedFromSync: string?
    modifiedAt: date?
    parent -> BookmarkEntity.children 0..1?
    title: string?
    url: string? modifier="3"
    uuid: string modifier="3"

    Car unique=(numberPlate)
    9e555529072158220d1bacd2f80a3dad4919f74a32aa8be9ee22a6a7b4126c8f
    color: transformable?
    currentDrivingSpeed: i64? transient
    maker: string?
    markedForDeletionAsOf: date?
    model: string?
    numberPlate: string
    owner -> Person.cars 0..1?

    SportCar : Car
    514ec1907a568299f9fb6851106516136f0755f45fa53a823a0e4d44013d5313

    ExpensiveSportCar : SportCar
    3dc7e32b1be45b5a4c795ac9af3e1d10aa7222d3c69ae805bbeb4408bdeba480
    isLimitedEdition: bool?

    Person unique=(firstName,lastName)
    164268551b45108ae763aa2ba61ff32d32d32323850987c3e21607c8da44b72b
    cars -> Car.owner 0..0?
    firstName: string?
    id: uuid preserve
    isDriving: bool transient
    lastName: string?
    updatedAt: date

    Writer abstract
    d54efab5d39cb3f59df8018db5e4cb2912ced49ca0fdebb029a326cd70847b25
    age: i16

    Author : Writer unique=(alias)
    07b88ab76fbdf3d701c85688e9b0820f0cdae6bc2c31d24d1fdc115251d13d12
    alias: string
    books -> Book.author 0..-1?
    favFeedbacks: fetched property
    feedbacks: fetched property
    siteURL: uri?

    Book unique=(uniqueID)
    01e4ee17f1b2903db05607419b4a713d72df80c90b4510b83a60b9135323f5e7
    author -> Author.books 1..1
    cover: transformable
    pages -> Page.book 1..10000
    pagesCount: i64? derived[count:(pages)]
    price: decimal
    publishedAt: date
    title: string
    uniqueID: uuid

    GraphicNovel : Book
    a6863b3ebf06bded0c0d93ebd416e74ef2f4df96b69cb070206a2d39592f3316
    isBlackAndWhite: bool

    Page
    9ee9445f9060dc0ae0737ca930dd312246afc97362869cb5b7875e5bc9899171
    book -> Book.pages 1..1
    content: transformable
    isBookmarked: bool
    number: i32

    Feedback
    cb46793d66db0168baed7998db3de0d4f69fdedabb160d5f32072175685031cc
    authorAlias: string
    bookID: uuid
    comment: string?
    rating: double

    Action
    3bb05c7409842f29b737a5582725a0c15046d4966b22b55e06db0f4666e49018
    name: string?
    role -> Role.actions 0..0?

    ButtonState
    37b8cc3cadd274ca896834a8ee13589b7bc0efbdf0e1157e20be343b1e483e9d
    isExpired: bool
    message -> Message.buttonStates 0..1?
    remoteIdentifier: string?
    stateValue: i16

    ParticipantRole
    c6d1ddaf52d01b2793da0fd5090688fcdb503e830e0493226a3d58cf05d6368a
    conversation -> Conversation.participantRoles 0..1
    modifiedKeys: transformable?
    role -> Role.participantRoles 0..1?
    user -> User.participantRoles 0..1

    MessageConfirmation
    0ba134d67727cc623b239c40a916af773ab54255dec8dc99065acc2f97352a36
    message -> Message.confirmations 0..1
    serverTimestamp: date?
    type: i16
    user -> User 0..1?

    Message abstract
    c769752de6c6bc44402ed576722c104e74f4fd87bcd5053a784d4c1aef08d49d
    buttonStates -> ButtonState.message 0..0?
    cachedCategory: i32?
    confirmations -> MessageConfirmation.message 0..0?
    delivered: bool
    destructionDate: date?
    discoveredClients -> UserClient.discoveredByMessage 0..0?
    expectsReadConfirmation: bool?
    expirationDate: date? modifier="add index"
    hiddenInConversation -> Conversation.hiddenMessages 0..1?
    isExpired: bool?
    isObfuscated: bool?
    linkAttachments: transformable?
    missingRecipients -> UserClient.messagesMissingRecipient 0..0? transient
    modifiedKeys: transformable?
    needsLinkAttachmentsUpdate: bool
    needsToBeUpdatedFromBackend: bool
    nonce: undef? transient
    nonce_data: binary? modifier="add_index1"
    normalizedText: string?
    quote -> Message.replies 0..1?
    reactions -> Reaction.message 0..0?
    replies -> Message.quote 0..0?
    sender -> User 0..1?
    senderClientID: string?
    serverTimestamp: date?
    visibleInConversation -> Conversation.allMessages 0..1?

    KnockMessage : Message
    bd3d15916d6934f1c625c0bb56bee7e99726b0cd303f715783c0578e53cb2bbb

    ClientMessage : Message
    65726eff02d0653233e65a41f36293c72dd3035fd649e0c68f9ab2fa64b31684
    dataSet -> GenericMessageData.message 0..0 ordered
    linkPreviewState: i16
    updatedTimestamp: date?

    User
    94ac986d5450b1a83e13d25a1841b99d206f2df56d280a4559d537b4d298dc22
    accentColorValue: i16?
    activeCallConversations -> Conversation.callParticipants 0..0? ordered
    activeConversations -> Conversation.otherActiveParticipants 0..0? ordered
    clients -> UserClient.user 0..0?
    connection -> Connection.to 0..1?
    conversationsCreated -> Conversation.creator 0..0?
    emailAddress: string?
    imageCorrelationIdentifier: undef? transient
    imageCorrelationIdentifier_data: binary?
    imageMediumData: binary? external
    imageSmallProfileData: binary? external
    inactiveConversations -> Conversation.otherInactiveParticipants 0..0? ordered
    lastServerSyncedActiveConversations -> Conversation.lastServerSyncedActiveParticipants 0..0? ordered
    localMediumRemoteIdentifier: undef? transient
    localMediumRemoteIdentifier_data: binary?
    localSmallProfileRemoteIdentifier: undef? transient
    localSmallProfileRemoteIdentifier_data: binary?
    mediumRemoteIdentifier: undef? transient
    mediumRemoteIdentifier_data: binary?
    modifiedDataFields: i64
    name: string?
    needsToBeUpdatedFromBackend: bool
    normalizedEmailAddress: string?
    normalizedName: string?
    originalProfileImageData: binary?
    personalInvitationsSent -> PersonalInvitation.inviter 0..0?
    phoneNumber: string?
    remoteIdentifier: undef? transient
    remoteIdentifier_data: binary?
    showingUserAdded -> SystemMessage.addedUsers 0..0?
    showingUserRemoved -> SystemMessage.removedUsers 0..0?
    smallProfileRemoteIdentifier: undef? transient
    smallProfileRemoteIdentifier_data: binary?
    systemMessages -> SystemMessage.users 0..0?

    Codec modifier="13102" unique=(fourCharCodeName)
    63bb7d3bcc305552728d4e806dc8a1de4f384ff8017885b3faaeb50507d24f13
    fourCharCodeName: string

    Keyword modifier="11066" unique=(title)
    0b3bcaeecfecfa484497e75f6821c9dfb0963c9658a445fb2ae8f41b97c246bd
    assetAttributes -> AdditionalAssetAttributes.keywords 0..0?
    shortcut: string?
    title: string?
    uuid: string? preserve

    UniformTypeIdentifier modifier="13102" unique=(identifier)
    a0c793bcfc7522c2b0f7838858dc9886f8a3188b0661b84abfdde3d86ccec7ac
    conformsToImage: bool modifier="37789998"
    conformsToMovie: bool
    conformsToRawImage: bool
    identifier: string

    Person modifier="11066"
    660167c5a8b78c0439d3a82c1287fed8ef61c4f280897a1d2882d680abaf89f3
    ageType: i16
    associatedFaceGroup -> DetectedFaceGroup.associatedPerson 0..1?
    cloudDeleteState: i16 preserve
    cloudLocalState: i16
    cloudVerifiedType: i32?
    clusterRejectedFaces -> DetectedFace.clusterRejectedPersons 0..0?
    contactMatchingDictionary: transformable?
    detectedFaces -> DetectedFace.person 0..0?
    displayName: string?
    faceCount: i32 modifier="2016113001"
    faceCrops -> FaceCrop.person 0..0?
    fullName: string?
    genderType: i16
    inPersonNamingModel: bool
    invalidMergeCandidates -> Person.invalidMergeCandidates 0..0?
    keyFace -> DetectedFace.personBeingKeyFace 0..1?
    keyFacePickSource: i16
    manualOrder: i32
    mergeCandidates -> Person.mergeCandidates 0..0?
    mergeSourcePersons -> Person.mergeTargetPerson 0..0?
    mergeTargetPerson -> Person.mergeSourcePersons 0..1?
    personReferences -> PersonReference.person 0..0?
    personUUID: string? preserve
    personUri: string?
    questionType: i16
    rejectedFaces -> DetectedFace.rejectedPersons 0..0?
    rejectedFacesNeedingFaceCrops -> DetectedFace.rejectedPersonsNeedingFaceCrops 0..0?
    type: i32 modifier="2016092101"
    verifiedType: i32

    GraphLabel unique=(code) (alias)
    201e820c6a7a72d7eed9cc9f2f911973e2b3187be0184b2f49b7ab9efd635190
    alias: string?
    code: i32?
    edgeExternalIdentifierDataHavingLabel: binary?
    nodeExternalIdentifierDataHavingLabel: binary?

    GraphNode modifier="19060" unique=(actingAsset) (actingMoment) (actingPerson) (externalIdentifier) (uuid)
    fb9db559dadad8902c26421724b6250f7975b19ad4bf63c5f9da55c2e62715bf
    actingAsset -> Asset 0..1?
    actingMoment -> Moment 0..1?
    actingPerson -> Person 0..1?
    additionalLabelAssignments -> GraphNodeAdditionalLabelAssignment 0..0?
    changeFlag0: i32
    changeFlag1: i32
    changeFlag2: i32
    changeFlag3: i32
    changeFlag4: i32
    cloudDeleteState: i16 preserve
    cloudLocalState: i16
    cplChangeFlag: i32
    edgeDeletionCounter: i32
    externalIdentifier: i64?
    primaryLabel -> GraphLabel 0..1?
    primaryLabelCode: i32? derived[primaryLabel.code]
    uuid: string? preserve
    values -> GraphNodeValue.node 0..0?

    InternalResource modifier="19083" unique=(asset,resourceType,version,recipeID,compactUTI)
    1625556c5151cb52e24c2c3c4af53aff7cd508332c2cd758bd9f3306ff405b9d
    asset -> Asset.modernResources 0..1?
    cloudDeleteAssetUUIDWithResourceType: string? preserve
    cloudDeleteState: i16 preserve
    cloudLastOnDemandDownloadDate: date?
    cloudLastPrefetchDate: date
    cloudLocalState: i16
    cloudMasterDateCreated: date?
    cloudPrefetchCount: i16
    cloudPrunedAt: date?
    cloudSourceType: i32?
    codecFourCharCodeName: string?
    compactUTI: string
    dataLength: i64?
    dataStoreClassID: i16
    dataStoreKeyData: binary?
    dataStoreSubtype: i64?
    fileID: i64
    fileSystemBookmark -> FileSystemBookmark.resource 0..1?
    fileSystemVolume -> FileSystemVolume.resources 0..1?
    fingerprint: string?
    localAvailability: i16 modifier="13239"
    localAvailabilityTarget: i16
    ptpTrashedState: i64
    recipeID: i32
    remoteAvailability: i16
    remoteAvailabilityTarget: i16?
    resourceType: i32
    sidecarIndex: i16?
    stableHash: string?
    trashedDate: date?
    trashedState: i16
    unorientedHeight: i64?
    unorientedWidth: i64?
    uploadJobs -> AssetResourceUploadJob.assetResource 0..0?
    utiConformanceHint: i16
    version: i32

    KeyValue unique=(domain,key)
    f5e07a3bbedf7eed1054342d5e889599d465a8415a63df0c3f9020fc88067f45
    domain: string?
    key: string
    value: transformable?

    Garnish unique=(name)
    76a9959e90e79ed17b32a980a29e5368b953c5b7e7fd4073cfe063e316d44cc5
    cocktails -> Cocktail.garnish 0..0?
    name: string

    Ingredient
    4a3b9f32df42aee19eb186b6ad03ad57c96cd3fb4532671a4063da2002cfc61a
    id: uuid
    ingredientBase -> IngredientBase 0..1
    unit: composite{unit: string?}
    value: double

    IngredientBase unique=(name)
    a017653989a9a1b642674e178f21d0f983180ef6b26dc16736063535ab22e615
    baseCategory: string
    id: uuid
    info: string?
    isCustom: bool
    name: string
    prep: composite?{id: uuid?, prepIngredientName: string?, prepRecipe: binary?}
    specialtyCategory: string
    tags: composite?{flavors: binary?, profiles: binary?, styles: binary?, booze: binary?, nA: binary?}
    umbrellaCategory: string

    MainEntity
    bbf526ecac33594bc5f32af93730a61633c797632461884e2a5f4b0be4807b92
    attributedString: transformable?
    binaryData: binary?
    boolean: bool
    date: date?
    decimal: decimal?
    double: double
    fetchedProperty: fetched property
    float: float
    int16: i16
    int32: i32
    int64: i64
    integerEnum: i16?
    integerOptionSet: i16?
    manyToMany -> SecondaryEntity.manyToMany 0..0?
    oneToMany -> SecondaryEntity.oneToMany 0..0? ordered
    oneToOne -> SecondaryEntity.oneToOne 0..1?
    optionalBoolean: bool?
    optionalDouble: double?
    optionalFloat: float
    optionalInt16: i16?
    optionalInt32: i32
    optionalInt64: i64?
    optionalString: string?
    string: string
    stringEnum: string?
    transformable: transformable?
    transformableCustomArray: transformable?
    transformableCustomPolyline: transformable?
    transient: string? transient
    uri: uri?
    uuid: uuid?

    ChildEntity : MainEntity
    96fa39f22126c3dfca07e8b20088bf7b3a1fb3a6842d2a9e1b603312eff96f07
    canonicalOptionalString: string? derived[canonical:(optionalString)]
    derivedCount: i64? derived[count:(oneToMany)]
    now: double derived[now()]

    AbstractEntity abstract
    dbc201c1a26b2e8f6b8130b6ed8f7083e88229db4c1d1b73d8bccaab48402d12

    NewEntity : AbstractEntity unique=(identifier)
    a1d2c1d335618c265d2ffbd01c2bafe655aa0e0a82bc9f1ceba0c8b5b1d73264
    identifier: uuid?

    SecondaryEntity
    59d09e9646e42b7c80a364b28ffa53b54fa6bde1030074c50c37ff76913d4dd3
    manyToMany -> MainEntity.manyToMany 0..0?
    name: string
    oneToMany -> MainEntity.oneToMany 0..1?
    oneToOne -> MainEntity.oneToOne 0..1?

    TimeZone
    fdc8348410351d9b646be60309a8b84ce35f94c1a3cc5a40d85307eecadc493b
    abbreviation: string
    daylightSavingTimeOffset: double
    isDaylightSavingTime: bool
    name: string
    secondsFromGMT: i64

    Place
    cb8f5eaf49c8eea719030940c0698e63470440ed666d974ebb078d43c06be918
    latitude: double
    longitude: double
    title: string?
    subtitle: string?

    Form
    3c9eb7bb588eb77c2784be607c554901332d1d1d51ad306bdc88b9579631f1b9
    id: i64
    name: string?
    spriteURL: string?
    details -> Details.forms 0..1?

    PokedexEntry
    eb94e09b3c0112c24a1963e313f5d83f753e8d98b8cf9386165864c21c7c7112
    index: i64
    id: string
    speciesURL: string
    details -> Details.pokedexEntry 0..1?

    Details
    60a9ea08950ece1cc6d54bb567908174101f81487f830cc395ea7dd2d2ea2b62
    pokedexEntry -> PokedexEntry.details 0..1?
    species -> Species.details 0..1?
    forms -> Form.details 0..0? ordered

    Palette
    6a175393eeeaf4ba380c2bcc18a96cdd34ccd78288ad4fd03f5091c038ca903e
    hue: float
    saturation: float
    brightness: float

    """
